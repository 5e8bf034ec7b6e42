import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { z } from 'zod';
import type { Admission } from '../engine/admission.ts';
import type { Statement, SystemDb, TenantDb } from '../platform/database/client.ts';
import { abortTransaction, isAborted } from '../platform/database/errors.ts';
import { accountLimits, corporateAccounts, orders, type StoredLimits } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { dayStart, standingOf } from './account-limits.ts';
import { holdNotices } from './limit-notices.store.ts';

/** The statement that locks the limits of accounts, so that only one batch at a time counts against them. */
export function lockLimits(db: SystemDb | TenantDb, accountIds: readonly string[]): Statement {
  return db.sql.execute(
    tagged(
      'lock-limits',
      sql`select 1 from ${accountLimits} where corporate_account_id in ${accountIds} order by corporate_account_id for no key update`,
    ),
  );
}

const reading = z
  .record(
    z.string(),
    z.object({
      limits: z.custom<StoredLimits>(),
      mainWallet: z.custom<Address>(),
      spentToday: z.string().transform(BigInt),
    }),
  )
  .nullable();

/** The limits of accounts, as drivers apply them. */
export const limitAdmission: Admission = {
  standings(chainId, accountIds, now) {
    const today = new Date(dayStart(now.getTime())).toISOString();
    return sql`(
      select json_object_agg(l.corporate_account_id, json_build_object(
        'limits', l.limits,
        'mainWallet', (select wallet_address from ${corporateAccounts} a where a.id = l.corporate_account_id),
        'spentToday', (
          select coalesce(sum(t.spent_wei), 0)::text from ${orders} t
          where t.corporate_account_id = l.corporate_account_id and t.chain_id = ${chainId} and t.spent_at >= ${today}::timestamptz)))
      from ${accountLimits} l where l.corporate_account_id in (${accountIds}))`;
  },

  read: (chainId, standings) =>
    new Map(Object.entries(reading.parse(standings) ?? {}).map(([id, account]) => [id, standingOf(chainId, account)])),

  // None of the accounts has spent more today than its limit on the chain.
  guard(db, chainId, accountIds, now) {
    const today = new Date(dayStart(now.getTime())).toISOString();
    const check = db.sql.execute(
      tagged(
        'guard-spend',
        sql`
      select ${abortTransaction('spend_limit_exceeded')} where exists (
        select 1 from ${accountLimits} l where l.corporate_account_id in ${accountIds}
          and (l.limits->'spend'->${chainId}::text->>'perDay')::numeric < (
            select sum(t.spent_wei) from ${orders} t
            where t.corporate_account_id = l.corporate_account_id and t.chain_id = ${chainId} and t.spent_at >= ${today}::timestamptz)
      )`,
      ),
    );
    return { lock: lockLimits(db, accountIds), check };
  },

  isExceeded: (error) => isAborted(error, 'spend_limit_exceeded'),
  held: holdNotices,
};
