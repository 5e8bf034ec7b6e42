import type { ImportedRow } from '../core/import.ts';
import { rowTooLong, MAX_ROW_LENGTH } from './row-length.ts';

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
