import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errorCodesTable, issueCodesTable } from '../../src/http/error-codes-table.ts';

/** The cells of a table, whatever its columns are wide. */
const cellsOf = (table: string) =>
  table
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^[|\s-]+$/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

it('docs/errors.md has the codes of the code, and no others', () => {
  const [, codes = '', ofIssues = ''] = readFileSync('docs/errors.md', 'utf8').split(/^## .*$/m);
  expect(cellsOf(codes)).toEqual(cellsOf(errorCodesTable()));
  expect(cellsOf(ofIssues)).toEqual(cellsOf(issueCodesTable()));
});
