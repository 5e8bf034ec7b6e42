import { and, eq, gte, lt } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PageRange } from '../../core/paging.ts';
import type { TenantDb } from './client.ts';
import type { TableWith } from './table-with.ts';

/** Restricts a list to the account's own records and to a page's range of ids. */
export function inPage(table: TableWith<'id' | 'corporateAccountId'>, db: TenantDb, page: PageRange): SQL | undefined {
  return and(eq(table.corporateAccountId, db.accountId), gte(table.id, page.from), lt(table.id, page.before));
}
