import { expect, it } from 'vitest';
import { rowFault } from './row-fault.ts';

it('has texts of a bounded length that can be stored, and no column for the whole row', () => {
  const { column, message } = rowFault(2, { path: `${'k'.repeat(999)}😀`, message: `\0${'m'.repeat(60_000)}` });
  expect([column, message]).toEqual([`${'k'.repeat(999)}\uFFFD`, `\uFFFD${'m'.repeat(999)}`]);
  expect(rowFault(2, { path: '', message: 'is wrong' })).toEqual({
    row: 2,
    column: null,
    code: 'invalid_value',
    message: 'is wrong',
  });
});
