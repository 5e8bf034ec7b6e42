import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';

type ColumnType =
  | 'text'
  | 'text[]'
  | 'jsonb'
  | 'boolean'
  | 'bigint'
  | 'integer'
  | 'numeric'
  | 'double precision'
  | 'timestamptz';

/**
 * Passes many rows as one parameter, so that one statement serves a batch of any size.
 * @param alias Name of the table in the statement, as in `from ... as v`.
 * @param columns Column name -> PostgreSQL type. Both are inlined into the SQL: never pass input.
 */
export function valuesTable<Column extends string>(
  alias: string,
  columns: Readonly<Record<Column, ColumnType>>,
  rows: readonly Readonly<Record<Column, unknown>>[],
): SQL {
  const definitions = Object.entries(columns).map(([name, type]) => `"${name}" ${String(type)}`);
  const json = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return sql`jsonb_to_recordset(${json}::jsonb) as ${sql.raw(`${alias}(${definitions.join(', ')})`)}`;
}
