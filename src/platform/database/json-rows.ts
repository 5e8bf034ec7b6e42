import { Column, is, sql, type SQL } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import { z } from 'zod';

/** What is read of a row, by the names of the properties that it becomes. */
type Fields = Readonly<Record<string, Column | SQL>>;

/** A row as a JSON object; {@link rowFromJson} reads it. What is null in it is left out, in a JSON column too. */
export function rowAsJson(fields: Fields): SQL {
  return sql`json_strip_nulls(${completeRow(fields)})`;
}

function completeRow(fields: Fields): SQL {
  const pairs = Object.entries(fields).map(([name, field]) => sql`${sql.raw(`'${name}'`)}, ${exact(field)}`);
  return sql`json_build_object(${sql.join(pairs, sql`, `)})`;
}

/**
 * A row in one column, with its nulls. The database describes each column of a reply in a hundred bytes: more than what
 * most rows take.
 */
export function oneColumn<Selected extends Fields>(fields: Selected): SQL<SelectResultFields<Selected>> {
  return completeRow(fields).mapWith((json: unknown) => rowFromJson(fields, jsonRow.parse(json)));
}

/** A numeric as text: JavaScript would round it. */
function exact(field: Column | SQL): Column | SQL {
  return is(field, Column) && field.getSQLType().startsWith('numeric') ? sql`${field}::text` : field;
}

/** The row that a JSON object is, as a query of the same fields returns it. */
export function rowFromJson<Selected extends Fields>(
  fields: Selected,
  json: Readonly<Record<string, unknown>>,
): SelectResultFields<Selected> {
  const row = Object.entries(fields).map(([name, field]) => {
    const value = json[name] ?? null;
    return [name, value !== null && is(field, Column) ? field.mapFromDriverValue(value) : value];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns say what they contain
  return Object.fromEntries(row) as SelectResultFields<Selected>;
}

/** The schema of a JSON object that {@link rowFromJson} reads. */
export const jsonRow = z.record(z.string(), z.unknown());

/** The schema of the rows that an SQL aggregate has made a list; without any, it is null. */
export const jsonRows = z
  .array(jsonRow)
  .nullable()
  .transform((rows) => rows ?? []);

/** What a statement has read whose only row has it in the only column, `reading`, as JSON. */
export function readingOf<Reading>(schema: z.ZodType<Reading>, reply: unknown): Reading {
  const [{ reading }] = z.object({ rows: z.tuple([z.object({ reading: schema })]) }).parse(reply).rows;
  return reading;
}
