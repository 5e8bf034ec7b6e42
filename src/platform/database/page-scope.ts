import { and, eq, gte, lt } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PageRange } from '../../core/paging.ts';
import type { TenantDb } from './client.ts';
import type { contracts, metadata, mintingOrders, transferOrders, webhookDeliveries } from './schema.ts';

type ListedTable =
  | typeof contracts
  | typeof metadata
  | typeof mintingOrders
  | typeof transferOrders
  | typeof webhookDeliveries;

/** Restricts a list to the account's own records and to a page's range of ids. */
export function inPage(table: ListedTable, db: TenantDb, page: PageRange): SQL | undefined {
  return and(eq(table.corporateAccountId, db.accountId), gte(table.id, page.from), lt(table.id, page.before));
}
