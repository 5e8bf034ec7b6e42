import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';

type ColumnType = 'text' | 'text[]' | 'jsonb' | 'bigint' | 'integer' | 'numeric' | 'double precision' | 'timestamptz';

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

/** PostgreSQL types of the fee columns. */
export const feeColumnTypes = {
  totalFeeNative: 'numeric',
  nativePriceUsd: 'double precision',
  totalFeeUsd: 'double precision',
  nativePriceKrw: 'double precision',
  totalFeeKrw: 'double precision',
} as const satisfies Record<string, ColumnType>;

export function columnNames<Column extends string>(columns: Readonly<Record<Column, unknown>>): Column[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.keys loses the key type
  return Object.keys(columns) as Column[];
}

/** `column: alias."column"` for each column: the `set` of an update from a {@link valuesTable}. */
export function assignments<Column extends string>(alias: string, columns: readonly Column[]): Record<Column, SQL> {
  const entries = columns.map((column) => [column, sql.raw(`${alias}."${column}"`)] as const);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries loses the key type
  return Object.fromEntries(entries) as Record<Column, SQL>;
}
