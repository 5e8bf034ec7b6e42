import { and, eq, gte, inArray, lt } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PageRange } from '../../core/paging.ts';
import type { TenantDb } from './client.ts';
import type { TableWith } from './table-with.ts';

/** Restricts a list to the account's own records, of chains that the caller may see, and to a page's range of ids. */
export function inPage(
  table: TableWith<'id' | 'corporateAccountId' | 'chainId'>,
  db: TenantDb,
  page: PageRange,
): SQL | undefined {
  return and(visible(table, db), gte(table.id, page.from), lt(table.id, page.before));
}

/** The account's own records, of chains that the caller may see. */
export function visible(table: TableWith<'corporateAccountId' | 'chainId'>, db: TenantDb): SQL | undefined {
  return and(
    eq(table.corporateAccountId, db.accountId),
    db.chainIds === undefined ? undefined : inArray(table.chainId, [...db.chainIds]),
  );
}
