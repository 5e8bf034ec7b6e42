import { sql } from 'drizzle-orm';
import { formatEther, formatGwei } from 'viem';
import { newId } from '../core/record-id.ts';
import type { Job } from '../engine/job.ts';
import type { LimitName } from '../engine/limit-names.ts';
import type { ReachedLimit } from '../engine/standing.ts';
import type { Statement, SystemDb, TenantDb } from '../platform/database/client.ts';
import { accountLimits } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { payloadOf } from '../webhooks/event.ts';
import { isNoticeWanted, noticeTables } from '../webhooks/events.store.ts';
import type { NoticeDraft } from '../webhooks/notices.ts';
import { dayEnd } from './account-limits.ts';

/** How long no further notice is stored of a limit that is not daily, in milliseconds. */
const QUIET_MS = 3_600_000;

const DAILY: ReadonlySet<LimitName> = new Set(['ordersPerDay', 'spendPerDay']);

/** The key of a limit in `account_limits.notified`; the statement that accepts orders builds the same in SQL. */
function keyOf({ limit, chainId }: ReachedLimit): string {
  return chainId === null ? limit : `${limit}:${chainId}`;
}

/**
 * The statement that stores `limit.reached`, unless no endpoint gets it, or it was stored for this limit in the same
 * window: the UTC day of a limit of a day, otherwise an hour.
 * @param orderId The held order; null if the limit has refused one.
 */
export function insertLimitNotice(
  db: Pick<SystemDb | TenantDb, 'sql'>,
  accountId: string,
  reached: ReachedLimit,
  orderId: string | null,
  now: Date,
): Statement {
  const { limit, chainId } = reached;
  const type = 'limit.reached';
  const at = now.toISOString();
  const end = new Date(DAILY.has(limit) ? dayEnd(now.getTime()) : now.getTime() + QUIET_MS).toISOString();
  const data: Extract<NoticeDraft, { readonly type: typeof type }>['data'] = {
    limit,
    chainId,
    value: readableValue(reached),
    effect: orderId === null ? 'REFUSED' : 'HELD',
    orderId,
    freesAt: DAILY.has(limit) ? end : null,
  };
  const drafts = sql`
    select ${newId(now.getTime())}::text as id, ${accountId}::text as account, ${type}::text as type, ${chainId}::text as chain_id,
      ${orderId}::text as order_id, ${payloadOf({ type, at: now, data })}::text as payload, ${at}::timestamptz as at
    from notified`;
  return db.sql.execute(
    tagged(
      'insert-limit-notice',
      sql`
    with notified as (
      update ${accountLimits} set notified = notified || jsonb_build_object(${keyOf(reached)}::text, ${end}::text)
      where corporate_account_id = ${accountId}
        and coalesce((notified ->> ${keyOf(reached)})::timestamptz <= ${at}::timestamptz, true)
        and ${isNoticeWanted(accountId, type, chainId)}
      returning 1
    ),
    ${noticeTables(drafts)} select endpoint_id from added`,
    ),
  );
}

/** The statements that store the notices of holds by limits: one for each limit of an account. */
export function holdNotices(
  db: SystemDb,
  holds: readonly { readonly job: Pick<Job, 'transaction'>; readonly reached?: ReachedLimit }[],
  now: Date,
): Statement[] {
  const byLimit = new Map(
    holds
      .toReversed()
      .flatMap(({ job: { transaction }, reached }) =>
        reached === undefined
          ? []
          : [
              [
                `${transaction.corporateAccountId} ${keyOf(reached)}`,
                { accountId: transaction.corporateAccountId, reached, orderId: transaction.orderId },
              ],
            ],
      ),
  );
  return Array.from(byLimit.values(), ({ accountId, reached, orderId }) =>
    insertLimitNotice(db, accountId, reached, orderId, now),
  );
}

function readableValue({ limit, value }: ReachedLimit): string | null {
  if (value === null) return null;
  if (limit === 'spendPerDay' || limit === 'spendPerOrder') return formatEther(BigInt(value));
  return limit === 'gasPrice' ? formatGwei(BigInt(value)) : value;
}
