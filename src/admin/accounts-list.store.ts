import { and, desc, eq, gte, inArray, lt, sql, type SQL } from 'drizzle-orm';
import type { PageRange } from '../core/paging.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import { accountKeys, accountLimits, corporateAccounts } from '../platform/database/schema.ts';

const columns = {
  id: corporateAccounts.id,
  corporateId: corporateAccounts.corporateId,
  name: corporateAccounts.corporateName,
  status: corporateAccounts.status,
  walletAddress: corporateAccounts.walletAddress,
  pausedAt: corporateAccounts.pausedAt,
  createdAt: corporateAccounts.createdAt,
  issuerName: corporateAccounts.issuerName,
  issuerLogoUrl: corporateAccounts.issuerLogoUrl,
  issuerDomain: corporateAccounts.issuerDomain,
  issuerConfirmedAt: corporateAccounts.issuerConfirmedAt,
  issuerPublishesDid: corporateAccounts.issuerPublishesDid,
  // The ids have their tables' names, which the query builder omits where a statement reads one table.
  hasLimits: sql<boolean>`exists (select 1 from ${accountLimits} l where l.corporate_account_id = corporate_accounts.id)`,
  keys: sql<number>`(select count(*) from ${accountKeys} k
    where k.corporate_account_id = corporate_accounts.id and k.revoked_at is null)`.mapWith(Number),
};

export type ListedAccount = NonNullable<Awaited<ReturnType<typeof readAccount>>>;

/**
 * A page of accounts, newest first.
 * @param text Part of the name or the corporateId, or the wallet, in any letter case; undefined: all.
 */
export function listAccounts(db: SystemDb, page: PageRange, text?: string): Promise<SearchedRows<ListedAccount>> {
  const records = and(gte(corporateAccounts.id, page.from), lt(corporateAccounts.id, page.before));
  const filter = text === undefined ? undefined : hasText(text.toLowerCase());
  return searchPage(db, corporateAccounts, { records, filter }, page, (newest) =>
    db.sql.select(columns).from(newest).where(filter).orderBy(desc(corporateAccounts.id)).limit(page.take),
  );
}

function hasText(text: string): SQL {
  return sql`(position(${text} in lower(corporate_name)) > 0 or position(${text} in lower(corporate_id)) > 0
    or lower(wallet_address) = ${text})`;
}

/** The names of accounts, by their corporateIds. */
export async function accountNames(
  db: SystemDb,
  corporateIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (corporateIds.length === 0) return new Map();
  const { corporateId, corporateName } = corporateAccounts;
  const rows = await db.sql
    .select({ corporateId, corporateName })
    .from(corporateAccounts)
    .where(inArray(corporateId, [...corporateIds]));
  return new Map(rows.map((row) => [row.corporateId, row.corporateName]));
}

export async function readAccount(db: SystemDb, corporateId: string) {
  const [row] = await db.sql
    .select(columns)
    .from(corporateAccounts)
    .where(eq(corporateAccounts.corporateId, corporateId));
  return row;
}
