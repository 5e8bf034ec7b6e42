import { and, desc, eq, getTableName, gte, inArray, lt, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { PageRange } from '../../core/paging.ts';
import { runBatch, type Rows, type SystemDb, type TenantDb, type TableWith } from './client.ts';

/** Restricts a list to the account's own records, of chains that the caller may see, and to a page's range of ids. */
export function inPage(
  table: TableWith<'id' | 'corporateAccountId' | 'chainId'>,
  db: TenantDb,
  page: PageRange,
): SQL | undefined {
  return and(visible(table, db), ofAccount(table, db, page));
}

/** The account's own records, in a page's range of ids. */
export function ofAccount(
  table: TableWith<'id' | 'corporateAccountId'>,
  db: TenantDb,
  page: PageRange,
): SQL | undefined {
  return and(eq(table.corporateAccountId, db.accountId), gte(table.id, page.from), lt(table.id, page.before));
}

/** The account's own records, of chains that the caller may see. */
export function visible(table: TableWith<'corporateAccountId' | 'chainId'>, db: TenantDb): SQL | undefined {
  return and(eq(table.corporateAccountId, db.accountId), ofVisibleChain(table, db));
}

/** Records of chains that the caller may see; undefined: of all. */
export function ofVisibleChain(table: TableWith<'chainId'>, { chainIds }: TenantDb): SQL | undefined {
  return chainIds === undefined ? undefined : inArray(table.chainId, [...chainIds]);
}

/** How many records, the newest of a page's range, a page searches for what matches a filter without an index. */
const MAX_SEARCHED = 5_000;

/** Rows of a page, newest first. */
export interface SearchedRows<Row> {
  readonly rows: Row[];
  /** The lowest id that was searched; undefined if the page is full, or has all that matches. */
  readonly searchedTo: string | undefined;
}

/**
 * Reads a page of a list with filters that have no index, so that the cost does not grow with the list, in one round
 * trip.
 * @param records The condition on the list without these filters, in the page's range: by an index on ids.
 * @param filter The condition of these filters; undefined: none.
 * @param read The statement that selects the rows of the page from the given ones, which have the table's name.
 */
export async function searchPage<Row>(
  db: TenantDb | SystemDb,
  table: TableWith<'id'>,
  { records, filter }: { readonly records: SQL | undefined; readonly filter: SQL | undefined },
  page: PageRange,
  read: (newest: ReturnType<typeof newestOf>) => Rows<Row> & SQLWrapper,
): Promise<SearchedRows<Row>> {
  if (filter === undefined) {
    return { rows: await read(newestOf(db, table, records, page.take)), searchedTo: undefined };
  }
  const newest = newestOf(db, table, records, MAX_SEARCHED);
  const {
    rows,
    last: [last],
  } = await runBatch(db, {
    rows: read(newest),
    last: db.sql
      .select({ id: table.id })
      .from(table)
      // Not searched for if the page is full.
      .where(and(records, sql`(select count(*) from (${read(newest)}) as matching) < ${page.take}`))
      .orderBy(desc(table.id))
      .offset(MAX_SEARCHED - 1)
      .limit(1),
  });
  return { rows, searchedTo: rows.length === page.take || last === undefined ? undefined : String(last.id) };
}

function newestOf(db: TenantDb | SystemDb, table: TableWith<'id'>, records: SQL | undefined, limit: number) {
  return db.sql.select().from(table).where(records).orderBy(desc(table.id)).limit(limit).as(getTableName(table));
}
