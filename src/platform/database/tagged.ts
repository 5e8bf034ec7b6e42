import { is, SQL, sql, type SQLWrapper } from 'drizzle-orm';

/**
 * Names a statement with an SQL comment in front of its text. PostgreSQL shows the name in `pg_stat_activity` and in
 * its log, and a test refers to the statement by name instead of by its text.
 * @param name In kebab-case. It becomes part of the statement, so it is never input.
 * @param statement A query of drizzle's query builder, or the `sql` that is passed to `execute`; not the result of
 *   `execute`.
 * @returns the same query, named.
 */
export function tagged<Query extends SQLWrapper>(name: string, statement: Query): Query;
export function tagged(name: string, statement: SQLWrapper): SQLWrapper {
  const comment = sql.raw(`/* ${name} */ `);
  const text = statement.getSQL();
  return is(statement, SQL)
    ? sql`${comment}${text}`
    : Object.assign(statement, { getSQL: () => sql`${comment}${text}` });
}
