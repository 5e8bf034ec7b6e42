import type { InputIssue } from '../core/domain-error.ts';
import type { ImportFault } from '../core/import.ts';
import { storableText } from './storable-text.ts';

/** The most characters of a text of a fault: a path in a row can be as long as the row. */
const MAX_LENGTH = 1_000;

/** The fault of a row, by an issue of what it asks for; its path is the column. */
export function rowFault(row: number, { path, message, code = 'invalid_value' }: InputIssue): ImportFault {
  return { row, column: path === '' ? null : shown(path), code, message: shown(message) };
}

function shown(text: string): string {
  return storableText(text.slice(0, MAX_LENGTH));
}
