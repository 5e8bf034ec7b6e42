import type { Client, QueryResultRow } from 'pg';

/** Rows that are in memory at a time. */
const PAGE = 500;

/**
 * The rows of a query, some at a time.
 * @param client In a transaction, with no other such query under way.
 */
export async function* pagesOf<Row extends QueryResultRow>(
  client: Client,
  query: string,
  values: readonly unknown[],
): AsyncGenerator<readonly Row[]> {
  await client.query(`DECLARE page CURSOR FOR ${query}`, [...values]);
  for (;;) {
    const { rows } = await client.query<Row>(`FETCH ${PAGE} FROM page`);
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('CLOSE page');
}
