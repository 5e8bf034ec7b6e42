import { describe, expect, it } from 'vitest';
import { roundRobin } from './round-robin.ts';

describe('roundRobin', () => {
  it('alternates between groups and keeps the order within a group', () => {
    expect(roundRobin(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'], ([group = '']) => group)).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  it('returns nothing for no items', () => {
    expect(roundRobin([], String)).toEqual([]);
  });
});
