import { describe, expect, it } from 'vitest';
import { roundRobin } from './round-robin.ts';

const items = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'];
const groupOf = ([group = '']: string) => group;

describe('roundRobin', () => {
  it('alternates between groups and keeps the order within a group', () => {
    expect(roundRobin(items, [groupOf], () => 0)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  });

  it('begins with the group that is asked for', () => {
    expect(roundRobin(items, [groupOf], () => 0.9)).toEqual(['c1', 'a1', 'b1', 'c2', 'a2', 'a3']);
  });

  it('begins with any group unless one is asked for', () => {
    const first = Array.from({ length: 1_000 }, () => roundRobin(items, [groupOf])[0]);
    expect(new Set(first)).toEqual(new Set(['a1', 'b1', 'c1']));
  });

  it('lets the groups of a group take turns, each of which begins as often as the others, whatever else there is', () => {
    const accounts = ['a-x1', 'a-x2', 'a-y1', 'a-z1', ...Array.from({ length: 50 }, (_, index) => `b-${index}`)];
    const ofAccountA = () =>
      roundRobin(accounts, [groupOf, ([, , target = '']) => target]).filter((item) => item.startsWith('a'));
    expect(roundRobin(accounts.slice(0, 5), [groupOf, ([, , target = '']) => target], () => 0)).toEqual([
      'a-x1',
      'b-0',
      'a-y1',
      'a-z1',
      'a-x2',
    ]);
    const first = Map.groupBy(
      Array.from({ length: 1_000 }, () => ofAccountA()[0]),
      (item) => item,
    );
    for (const item of ['a-x1', 'a-y1', 'a-z1']) expect(first.get(item)?.length).toBeGreaterThan(200);
  });

  it('returns nothing for no items', () => {
    expect(roundRobin([], [String])).toEqual([]);
  });
});
