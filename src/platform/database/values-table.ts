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

/** The types of the columns that a fee is stored in. */
export const feeColumnTypes = {
  totalFeeNative: 'numeric',
  nativePriceUsd: 'double precision',
  totalFeeUsd: 'double precision',
  nativePriceKrw: 'double precision',
  totalFeeKrw: 'double precision',
} as const satisfies Record<string, ColumnType>;

export function columnNames<Column extends string>(columns: Readonly<Record<Column, unknown>>): Column[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys forgets which keys there are
  return Object.keys(columns) as Column[];
}

/** `column: alias."column"` for each, as the `set` of an update from a {@link recordset}. */
export function assignments<Column extends string>(alias: string, columns: readonly Column[]): Record<Column, SQL> {
  const entries = columns.map((column) => [column, sql.raw(`${alias}."${column}"`)] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries forgets which keys it was given
  return Object.fromEntries(entries) as Record<Column, SQL>;
}
