import { DomainError } from '../core/domain-error.ts';
import type { ImportedRow } from '../core/import.ts';
import { rowTooLong, MAX_ROW_LENGTH } from './row-length.ts';

const SEPARATORS = [',', ';', '\t'] as const;

/**
 * The rows of CSV (RFC 4180), the header among them; rows without content are left out. Lines end with CRLF, LF or CR.
 * The separator is the comma, semicolon or tab that the header has most often.
 * @param text Pieces of it.
 * @throws {DomainError} `invalid` where a quote is out of place, which makes all that follows uncertain; `too-large` for
 *   a row of more than {@link MAX_ROW_LENGTH} characters.
 */
export async function* csvRows(text: AsyncIterable<string>): AsyncGenerator<ImportedRow> {
  const reader = new CsvReader();
  for await (const piece of text) yield* reader.read(piece, false);
  yield* reader.read('', true);
}

class CsvReader {
  /** What is not yet read, from the beginning of a row on. */
  #text = '';
  #row = 0;
  #cell: RegExp | undefined;

  *read(piece: string, isLast: boolean): Generator<ImportedRow> {
    this.#text += piece;
    let start = 0;
    for (;;) {
      const row = this.#rowAt(start, isLast);
      if (row === undefined) break;
      this.#row += 1;
      start = row.end;
      if (row.cells.some((cell) => cell !== '')) yield { row: this.#row, cells: row.cells };
    }
    this.#text = this.#text.slice(start);
    if (this.#text.length > MAX_ROW_LENGTH) throw rowTooLong(this.#row + 1);
  }

  /** @returns undefined if the row may go on in the next piece, or there is none. */
  #rowAt(start: number, isLast: boolean): { readonly cells: string[]; readonly end: number } | undefined {
    const text = this.#text;
    if (start === text.length) return undefined;
    this.#cell ??= cellOf(separatorOf(text));
    const cells: string[] = [];
    for (let at = start; ;) {
      this.#cell.lastIndex = at;
      const [found, quoted, bare = '', end] = this.#cell.exec(text) ?? [];
      // An LF may follow a CR, and a second quote the first.
      const isOpen = found === undefined ? isUnclosed(text, at) : at + found.length === text.length && end !== '\n';
      if (isOpen && !isLast) return undefined;
      if (found === undefined) throw this.#quoteError(isOpen);
      at += found.length;
      if (at - start > MAX_ROW_LENGTH) throw rowTooLong(this.#row + 1);
      cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
      if (end === '' || end === '\n' || end === '\r' || end === '\r\n') return { cells, end: at };
    }
  }

  #quoteError(isOpen: boolean): DomainError {
    const what = isOpen
      ? 'a quoted cell does not end'
      : 'a cell has a quote in its middle: quote the whole cell, and double the quotes in it';
    return new DomainError('malformed_body', `Row ${this.#row + 1}: ${what}`);
  }
}

/** Whether the cell at a place begins with a quote and has no end. */
function isUnclosed(text: string, at: number): boolean {
  if (text[at] !== '"') return false;
  return /^"[^"]*(?:""[^"]*)*"?$/.test(text.slice(at));
}

/** Matches a cell, quoted or bare, and what ends it. */
function cellOf(separator: string): RegExp {
  return new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n|$)`, 'y');
}

function separatorOf(text: string): string {
  const [header = ''] = text.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const counts = SEPARATORS.map((separator) => header.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}
