import { describe, expect, it } from 'vitest';
import { freeNonces, gaps } from './free-nonces.ts';

describe('free nonces', () => {
  it('are the lowest ones not held, gaps first', () => {
    expect(freeNonces(5, new Set([5, 6, 8]), 3)).toEqual([7, 9, 10]);
    expect(freeNonces(0, new Set(), 2)).toEqual([0, 1]);
    expect(freeNonces(3, new Set([3]), 0)).toEqual([]);
  });
});

describe('gaps', () => {
  it('are the nonces below the highest one in flight that are not held', () => {
    expect(gaps(3, new Set([5, 7]), [5, 7])).toEqual([3, 4, 6]);
    expect(gaps(5, new Set([5, 6]), [5, 6])).toEqual([]);
    expect(gaps(5, new Set(), [])).toEqual([]);
  });
});
