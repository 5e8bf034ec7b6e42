import { describe, expect, it } from 'vitest';
import { Random } from './random.ts';

const numbersOf = (random: Random) => Array.from({ length: 50 }, () => random.bits());

describe('Random', () => {
  it('gives the same numbers for the same seed, others for another', () => {
    expect(numbersOf(new Random('1'))).toEqual(numbersOf(new Random('1')));
    expect(numbersOf(new Random('1'))).not.toEqual(numbersOf(new Random('2')));
  });

  it('makes a fork independent of how many numbers were drawn before', () => {
    const drawn = new Random('1');
    numbersOf(drawn);
    expect(numbersOf(drawn.fork('a'))).toEqual(numbersOf(new Random('1').fork('a')));
  });

  it('stays within both bounds, and reaches them', () => {
    const random = new Random('ends');
    const wholes = Array.from({ length: 1_000 }, () => random.whole(3, 5));
    expect([...new Set(wholes)].toSorted((a, b) => a - b)).toEqual([3, 4, 5]);
    const spans = Array.from({ length: 1_000 }, () => random.span(1, 1_000));
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(1);
    expect(Math.max(...spans)).toBeLessThan(1_000);
  });
});
