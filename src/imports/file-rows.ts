import { METADATA_BYTES } from '../catalog/metadata/document-texts.ts';
import { DomainError } from '../core/domain-error.ts';
import type { ImportedRow } from '../platform/database/vocabulary/import.ts';

/** The most characters of a row: its document can have as many bytes. */
const MAX_ROW_LENGTH = METADATA_BYTES;

function rowTooLong(row: number): DomainError {
  return new DomainError('too_large', `Row ${row} has more than ${MAX_ROW_LENGTH} characters`);
}

/** The fewest characters of a piece but the last: a row that spans pieces is looked at again with each of them. */
const PIECE_LENGTH = 128 * 1_024;

/**
 * The text of a file in UTF-8, with a byte order mark or without, in pieces.
 * @throws {DomainError} `invalid` for another encoding.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let head = new Uint8Array();
  let piece = '';
  for await (const part of bytes) {
    if (head.length < 2) {
      head = Uint8Array.of(...head, ...part.subarray(0, 2));
      if (isUtf16(head)) throw notUtf8('UTF-16');
    }
    piece += decode(decoder, part);
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield piece + decode(decoder);
}

function decode(decoder: TextDecoder, part?: Uint8Array): string {
  try {
    return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true });
  } catch {
    throw notUtf8('not valid UTF-8');
  }
}

function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

function notUtf8(what: string): DomainError {
  return new DomainError('malformed_body', `The file is ${what}: save it as UTF-8, in a spreadsheet as "CSV UTF-8"`);
}

const SEPARATORS = [',', ';', '\t'] as const;

/**
 * The rows of CSV (RFC 4180), the header among them; rows without content are left out. Lines end with CRLF, LF or CR.
 * The separator is the comma, semicolon or tab that the header has most often.
 * @param text Pieces of it.
 * @throws {DomainError} `invalid` where a quote is out of place, which makes all that follows uncertain; `too-large`
 *   for a row of more than {@link MAX_ROW_LENGTH} characters.
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

/**
 * The lines of JSON lines; empty ones are left out.
 * @param text Pieces of it.
 * @throws {DomainError} `too-large` for a line of more than {@link MAX_ROW_LENGTH} characters.
 */
export async function* jsonLines(text: AsyncIterable<string>): AsyncGenerator<ImportedRow> {
  let rest = '';
  let row = 0;
  const rowOf = (line: string): ImportedRow[] => {
    row += 1;
    if (line.length > MAX_ROW_LENGTH) throw rowTooLong(row);
    return line.trim() === '' ? [] : [{ row, cells: [line.trim()] }];
  };
  for await (const piece of text) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.flatMap(rowOf);
    if (rest.length > MAX_ROW_LENGTH) throw rowTooLong(row + 1);
  }
  yield* rowOf(rest);
}
