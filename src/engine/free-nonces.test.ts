import { expect, it } from 'vitest';
import { freeNonces } from './free-nonces.ts';

it('free nonces are the lowest ones not held, gaps first', () => {
  expect(freeNonces(5, new Set([5, 6, 8]), 3)).toEqual([7, 9, 10]);
  expect(freeNonces(0, new Set(), 2)).toEqual([0, 1]);
  expect(freeNonces(3, new Set([3]), 0)).toEqual([]);
});
