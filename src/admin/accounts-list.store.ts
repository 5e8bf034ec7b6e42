import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { PageRange } from '../core/paging.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { accountKeys, accountLimits, corporateAccounts } from '../platform/database/schema.ts';

const columns = {
  id: corporateAccounts.id,
  corporateId: corporateAccounts.corporateId,
  name: corporateAccounts.corporateName,
  status: corporateAccounts.status,
  walletAddress: corporateAccounts.walletAddress,
  pausedAt: corporateAccounts.pausedAt,
  createdAt: corporateAccounts.createdAt,
  // The ids have their tables' names, which the query builder omits where a statement reads one table.
  hasLimits: sql<boolean>`exists (select 1 from ${accountLimits} l where l.corporate_account_id = corporate_accounts.id)`,
  keys: sql<number>`(select count(*) from ${accountKeys} k
    where k.corporate_account_id = corporate_accounts.id and k.revoked_at is null)`.mapWith(Number),
};

/** A page of accounts, newest first. */
export function listAccounts(db: SystemDb, page: PageRange) {
  return db.sql
    .select(columns)
    .from(corporateAccounts)
    .where(and(gte(corporateAccounts.id, page.from), lt(corporateAccounts.id, page.before)))
    .orderBy(desc(corporateAccounts.id))
    .limit(page.take);
}

export async function readAccount(db: SystemDb, corporateId: string) {
  const [row] = await db.sql
    .select(columns)
    .from(corporateAccounts)
    .where(eq(corporateAccounts.corporateId, corporateId));
  return row;
}
