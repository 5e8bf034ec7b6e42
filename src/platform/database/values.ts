import { getTableColumns, sql, type Column, type GetColumnData, type SQL } from 'drizzle-orm';
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
export function valuesTable<Name extends string>(
  alias: string,
  columns: Readonly<Record<Name, ColumnType>>,
  rows: readonly Readonly<Record<Name, unknown>>[],
): SQL {
  const definitions = Object.entries(columns).map(([name, type]) => `"${name}" ${String(type)}`);
  const json = JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return sql`jsonb_to_recordset(${json}::jsonb) as ${sql.raw(`${alias}(${definitions.join(', ')})`)}`;
}

/**
 * A query of rows that are passed as one parameter, as `o`, for an insert of all columns. Drizzle's `values` takes one
 * parameter a column and row, which for a batch of orders costs more time than the rest of their acceptance.
 * @param rows A column that one does not set is null, whatever its default; the database generates those it generates.
 *   Properties that are no columns are ignored.
 * @param condition On the rows of `o`; the others are left out.
 */
export function rowsFor<Table extends PgTable>(
  table: Table,
  rows: readonly Table['$inferInsert'][],
  condition: SQL,
): SQL {
  const columns = Object.values(getTableColumns(table)).filter(({ generated }) => generated === undefined);
  const names = sql.raw(columns.map(({ name }) => `"${name}"`).join(', '));
  const definitions = sql.raw(columns.map((column) => `"${column.name}" ${column.getSQLType()}`).join(', '));
  const values = rows.map((row) => rowValues(table, row));
  return sql`select ${names} from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as o(${definitions}) where ${condition}`;
}

/** A row as a JSON object, by the names of its columns; those without a value are left out. */
export function rowValues<Table extends PgTable>(table: Table, row: Table['$inferInsert']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(getTableColumns(table)).flatMap(([key, column]): [string, unknown][] => {
      const value: unknown = Object.getOwnPropertyDescriptor(row, key)?.value;
      if (value === null || value === undefined) return [];
      // As a parameter of its own it would be a text.
      return [[column.name, column.getSQLType() === 'jsonb' ? value : column.mapToDriverValue(value)]];
    }),
  );
}

/** A JSON object of columns and expressions, none of them a time. */
export function jsonObject<Members extends Readonly<Record<string, Column | SQL>>>(members: Members) {
  const parts = Object.entries(members).map(([name, value]) => sql`${sql.raw(`'${name}'`)}, ${value}`);
  return sql<{
    readonly [Name in keyof Members]: Members[Name] extends SQL<infer Value>
      ? Value
      : Members[Name] extends Column
        ? GetColumnData<Members[Name]>
        : never;
  }>`json_build_object(${sql.join(parts, sql`, `)})`;
}

/** The values of an expression, of all rows, as one JSON array. @param rows What follows the expression in a query. */
export function jsonArray<Value>(value: SQL<Value>, rows: SQL): SQL<Value[]> {
  return sql`(select coalesce(json_agg(${value}), '[]') ${rows})`;
}

/**
 * A list for `in`, as SQL literals: with parameters the planner cannot prove that a partial index has all rows of a
 * condition.
 * @param words Constants of the code, never input.
 */
export function literals(words: readonly string[]): SQL {
  return sql.raw(`(${words.map((word) => `'${word}'`).join(', ')})`);
}
