import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { fileOf } from '../export/archived-records.ts';
import type { RecordTable } from '../export/record-tables.ts';
import { jsonOf, type VerifiedFolder } from './verify-folder.ts';

/** The longest line, in UTF-16 code units: more than any row takes. */
const MAX_LINE = 8 * 1_024 * 1_024;
/** Rows that are in memory at a time: at most so many, and so long together. */
const MAX_ROWS = 500;
const MAX_LENGTH = 4 * 1_024 * 1_024;

/** A row of an archive. Its columns are those of its table. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * The rows of a table, some at a time.
 * @param refuse Told where a row is not what its table says, and why; the row is left out.
 */
export async function* readRows(
  { directory, files }: Pick<VerifiedFolder, 'directory' | 'files'>,
  table: RecordTable,
  refuse: (fault: string) => void,
): AsyncGenerator<Row[]> {
  const file = fileOf(table);
  if (!files.has(file)) {
    refuse(`${file}: is missing`);
    return;
  }
  const { check } = table;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rows that the table's own schema has accepted
  const schema: z.ZodType<Row> = check === undefined ? table.row : table.row.superRefine(check as never);
  let [rows, length, number]: [Row[], number, number] = [[], 0, 0];
  for await (const line of linesOf(join(directory, file))) {
    number += 1;
    const parsed = schema.safeParse(jsonOf(line));
    if (parsed.success) rows.push(parsed.data);
    else for (const issue of parsed.error.issues) refuse(`${file}:${number}: ${told(issue)}`);
    length += line.length;
    if (rows.length === MAX_ROWS || length > MAX_LENGTH) {
      yield rows;
      [rows, length] = [[], 0];
    }
  }
  yield rows;
}

/** What is wrong, and where. */
export function told(issue: z.core.$ZodIssue): string {
  const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return `${[...issue.path, ...keys].join('.')} ${issue.message}`.trim();
}

async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new Error(`${file} has a line longer than any row can be`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}
