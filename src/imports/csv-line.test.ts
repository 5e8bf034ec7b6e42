import { describe, expect, it } from 'vitest';
import { csvLine } from './csv-line.ts';
import { csvRows } from './file-rows.ts';

async function* textOf(cells: readonly string[]) {
  yield csvLine(cells);
}

describe('a line of CSV', () => {
  it.each([
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(A1)',
    '=HYPERLINK("https://example.com","a;b")',
  ])('has nothing that a spreadsheet runs: %j', async (cell) => {
    const { value } = await csvRows(textOf(['a', cell])).next();
    expect(value).toEqual({ row: 1, cells: ['a', `'${cell}`] });
  });

  it('has every other cell as it is', async () => {
    const cells = ['1', '', 'a,b', 'say "hi"', 'two\nlines', '이름', "it's", 'a=b', ' x;y'];
    const { value } = await csvRows(textOf(cells)).next();
    expect(value).toEqual({ row: 1, cells });
  });
});
