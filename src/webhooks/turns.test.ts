import { describe, expect, it } from 'vitest';
import { inTurns } from './turns.ts';

describe('inTurns', () => {
  it('gives each group its turn and keeps the order inside a group', () => {
    expect(inTurns(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'], ([group = '']) => group)).toEqual([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  it('is empty for nothing', () => {
    expect(inTurns([], String)).toEqual([]);
  });
});
