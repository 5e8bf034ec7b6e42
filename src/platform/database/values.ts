import { sql, getTableColumns, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

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

/**
 * An insert of many rows with one parameter. Drizzle's `values` takes one a column and row, which for a batch of orders costs more time
 * than the rest of their acceptance.
 * @param rows Columns that none of them sets get their defaults; one that only some set is null in the others. Properties that are no columns
 *   are ignored.
 */
export function insertRows<Table extends PgTable>(table: Table, rows: readonly Table['$inferInsert'][]): SQL {
  const columns = Object.entries(getTableColumns(table)).filter(([key]) =>
    rows.some((row) => valueOf(row, key) !== undefined),
  );
  const names = sql.raw(columns.map(([, { name }]) => `"${name}"`).join(', '));
  const definitions = sql.raw(columns.map(([, column]) => `"${column.name}" ${column.getSQLType()}`).join(', '));
  const values = rows.map((row) =>
    Object.fromEntries(
      columns.map(([key, column]) => {
        const value = valueOf(row, key);
        return [column.name, value === null || value === undefined ? null : column.mapToDriverValue(value)];
      }),
    ),
  );
  return sql`insert into ${table} (${names}) select ${names} from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as v(${definitions})`;
}

function valueOf(row: object, key: string): unknown {
  return Object.getOwnPropertyDescriptor(row, key)?.value;
}

/**
 * A list for `in`, as SQL literals: with parameters the planner cannot prove that a partial index has all rows of a condition.
 * @param words Constants of the code, never input.
 */
export function literals(words: readonly string[]): SQL {
  return sql.raw(`(${words.map((word) => `'${word}'`).join(', ')})`);
}
