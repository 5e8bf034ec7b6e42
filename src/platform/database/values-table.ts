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
 * Many rows as one parameter, so that one statement serves a whole batch whatever its size.
 * @param alias Name of the row source, as in `from ... as v`.
 * @param columns Column name -> PostgreSQL type; both are written into the statement, so they are never input.
 */
export function recordset<Column extends string>(
  alias: string,
  columns: Readonly<Record<Column, ColumnType>>,
  rows: readonly Readonly<Record<Column, unknown>>[],
): SQL {
  const shape = Object.entries(columns).map(([name, type]) => `"${name}" ${String(type)}`);
  const json = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return sql`jsonb_to_recordset(${json}::jsonb) as ${sql.raw(`${alias}(${shape.join(', ')})`)}`;
}
