import { getTableColumns, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/**
 * A query of rows that are passed as one parameter, as `o`, for an insert of all columns. Drizzle's `values` takes one parameter a column and
 * row, which for a batch of orders costs more time than the rest of their acceptance.
 * @param rows A column that one does not set is null. Properties that are no columns are ignored.
 * @param condition On the rows of `o`; the others are left out.
 */
export function rowsFor<Table extends PgTable>(
  table: Table,
  rows: readonly Table['$inferInsert'][],
  condition: SQL,
): SQL {
  const columns = Object.entries(getTableColumns(table));
  const names = sql.raw(columns.map(([, { name }]) => `"${name}"`).join(', '));
  const definitions = sql.raw(columns.map(([, column]) => `"${column.name}" ${column.getSQLType()}`).join(', '));
  const values = rows.map((row) =>
    Object.fromEntries(
      columns.flatMap(([key, column]): [string, unknown][] => {
        const value: unknown = Object.getOwnPropertyDescriptor(row, key)?.value;
        return value === null || value === undefined ? [] : [[column.name, column.mapToDriverValue(value)]];
      }),
    ),
  );
  return sql`select ${names} from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as o(${definitions}) where ${condition}`;
}
