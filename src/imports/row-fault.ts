import type { InputIssue } from '../core/domain-error.ts';
import type { ImportFault, ImportedUse } from '../platform/database/vocabulary/import.ts';

/** The most characters of a text of a fault: a path in a row can be as long as the row. */
const MAX_LENGTH = 1_000;

/** The fault of a row, by an issue of what it asks for; its path is the column. */
export function rowFault(row: number, { path, message, code = 'invalid_value' }: InputIssue): ImportFault {
  return { row, column: path === '' ? null : shown(path), code, message: shown(message) };
}

function shown(text: string): string {
  return storableText(text.slice(0, MAX_LENGTH));
}

/** Before the number of the row. */
export const USED_BY_ROW = 'is used by row ';

/** The fault of a row that uses what another row uses for something else. */
export function rivalFault({ row, column }: Pick<ImportedUse, 'row' | 'column'>, first: number): ImportFault {
  return { row, column, code: 'not_allowed', message: `${USED_BY_ROW}${first}` };
}

/** A text that PostgreSQL can store as JSON: what it cannot is shown as U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
