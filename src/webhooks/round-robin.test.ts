import { describe, expect, it } from 'vitest';
import { roundRobin } from './round-robin.ts';

const items = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'];
const groupOf = ([group = '']: string) => group;

describe('roundRobin', () => {
  it('alternates between groups and keeps the order within a group', () => {
    expect(roundRobin(items, groupOf, () => 0)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('begins with the group that is asked for', () => {
    expect(roundRobin(items, groupOf, () => 2)).toEqual(['c1', 'a1', 'b1', 'c2', 'a2', 'a3']);
  });

  it('begins with any group unless one is asked for', () => {
    const first = Array.from({ length: 1_000 }, () => roundRobin(items, groupOf)[0]);
    expect(new Set(first)).toEqual(new Set(['a1', 'b1', 'c1']));
  });

  it('returns nothing for no items', () => {
    expect(roundRobin([], String)).toEqual([]);
  });
});
