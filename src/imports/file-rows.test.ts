import { describe, expect, it } from 'vitest';
import { csvRows, jsonLines, decodeText } from './file-rows.ts';

async function* piecesOf<Piece>(pieces: Iterable<Piece>): AsyncGenerator<Piece> {
  yield* pieces;
}
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const rowsOf = async (...pieces: string[]) => await all(csvRows(piecesOf(pieces)));
const encoded = (text: string) => new TextEncoder().encode(text);
const textIn = async (...parts: Uint8Array[]) => (await all(decodeText(piecesOf(parts)))).join('');
const cellsOf = async (...pieces: string[]) => (await rowsOf(...pieces)).map(({ cells }) => cells);

describe('rows of CSV', () => {
  it.each([
    [
      'a comma',
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a semicolon',
      'a;b\n1;2,5',
      [
        ['a', 'b'],
        ['1', '2,5'],
      ],
    ],
    [
      'a tab',
      'a\tb\r1\t2;3',
      [
        ['a', 'b'],
        ['1', '2;3'],
      ],
    ],
    [
      'the separator of the header, quoted ones apart',
      '"a,b";c\n1;2',
      [
        ['a,b', 'c'],
        ['1', '2'],
      ],
    ],
    ['none', 'a\n1', [['a'], ['1']]],
    [
      'quotes, separators and line ends in quotes',
      'a,b\n"say ""hi"", you","1\r\n2"\n',
      [
        ['a', 'b'],
        ['say "hi", you', '1\r\n2'],
      ],
    ],
    [
      'empty cells',
      'a,b,c\n,,3\n1,"",',
      [
        ['a', 'b', 'c'],
        ['', '', '3'],
        ['1', '', ''],
      ],
    ],
  ])('have the cells between separators: %s', async (_, text, cells) => {
    expect(await cellsOf(text)).toEqual(cells);
  });

  it('are the same wherever the text is cut', async () => {
    const text = 'name,"b ""c"""\r\n"x\r\ny",2\r\n\r\n,"z"\r\n';
    const whole = await rowsOf(text);
    expect(whole.map(({ row }) => row)).toEqual([1, 2, 4]);
    // The header tells the separator, so that its beginning is not cut.
    for (let at = 5; at < text.length; at += 1) {
      expect(await rowsOf(text.slice(0, at), text.slice(at))).toEqual(whole);
    }
    expect(await rowsOf(text.slice(0, 5), ...text.slice(5).split(''))).toEqual(whole);
  });

  it('have the numbers that a spreadsheet shows, empty rows counted', async () => {
    expect(await rowsOf('a,b\n\n,\n1,2\n\n\n3,4')).toEqual([
      { row: 1, cells: ['a', 'b'] },
      { row: 4, cells: ['1', '2'] },
      { row: 7, cells: ['3', '4'] },
    ]);
  });

  it.each([
    ['a quote in the middle of a cell', 'a\n1\n5" disk\n', 'Row 3: a cell has a quote in its middle'],
    ['text after a quoted cell', 'a\n"1"2\n', 'Row 2: a cell has a quote in its middle'],
    ['a quoted cell without an end', 'a\n1\n"2\n3', 'Row 3: a quoted cell does not end'],
  ])('are refused with %s', async (_, text, message) => {
    await expect(rowsOf(text)).rejects.toThrow(message);
  });

  it('are refused once one is too long, before the rest of it is read', async () => {
    let read = 0;
    async function* endless() {
      yield 'a\n"';
      for (; read < 1_000; read += 1) yield 'x'.repeat(10_000);
    }
    await expect(all(csvRows(endless()))).rejects.toThrow('Row 2 has more than 524288 characters');
    expect(read).toBeLessThan(60);
  });
});

describe('JSON lines', () => {
  it('are the lines with content, with the numbers that an editor shows', async () => {
    expect(await all(jsonLines(piecesOf(['{"a":1}\r\n\n {"b"', ':2}\n{"c":3}'])))).toEqual([
      { row: 1, cells: ['{"a":1}'] },
      { row: 3, cells: ['{"b":2}'] },
      { row: 4, cells: ['{"c":3}'] },
    ]);
  });

  it('are refused once one is too long', async () => {
    const lines = all(jsonLines(piecesOf(['{}\n', 'x'.repeat(600_000)])));
    await expect(lines).rejects.toThrow('Row 2 has more than 524288 characters');
  });
});

describe('the text of a file', () => {
  it('is UTF-8 with a byte order mark or without, wherever it is cut', async () => {
    const bytes = encoded('\uFEFF이름,é\n');
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await textIn(bytes.subarray(0, at), bytes.subarray(at))).toBe('이름,é\n');
    }
    expect(await textIn(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe('이름,é\n');
    expect(await textIn(encoded('a'))).toBe('a');
  });

  it.each([
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x61, 0), 'The file is UTF-16'],
    ['UTF-16 of the other order', Uint8Array.of(0xfe, 0xff, 0, 0x61), 'The file is UTF-16'],
    ['EUC-KR', Uint8Array.of(0x61, 0xc0, 0xcc), 'The file is not valid UTF-8'],
    ['half a character', encoded('é').subarray(0, 1), 'The file is not valid UTF-8'],
  ])('is no other encoding: %s', async (_, bytes, message) => {
    await expect(textIn(bytes)).rejects.toThrow(message);
  });
});
