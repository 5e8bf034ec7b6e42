import { describe, expect, it } from 'vitest';
import { blockRangeOfNonce, isPlausible, withObservation } from './head-observations.ts';

describe('observations', () => {
  it('are kept once per count, with the newest block', () => {
    let observations = withObservation([], [100, 7]);
    observations = withObservation(observations, [101, 7]);
    observations = withObservation(observations, [140, 7]);
    observations = withObservation(observations, [139, 7]);
    observations = withObservation(observations, [150, 9]);
    expect(observations).toEqual([
      [140, 7],
      [150, 9],
    ]);
  });

  it('are bounded in number', () => {
    let observations: readonly (readonly [number, number])[] = [];
    for (let count = 0; count < 1_000; count += 1) observations = withObservation(observations, [count, count]);
    expect(observations.length).toBeLessThan(100);
    expect(observations.at(-1)).toEqual([999, 999]);
  });

  it('are implausible if the count grew faster than blocks allow', () => {
    expect(isPlausible([], [10, 1_000_000])).toBe(true);
    expect(isPlausible([[10, 5]], [11, 400])).toBe(true);
    expect(isPlausible([[10, 5]], [11, 1_000_000])).toBe(false);
    expect(isPlausible([[10, 5]], [9, 3])).toBe(true);
  });
});

describe('blocksOfNonce', () => {
  it('lies between the last observation of the nonce unused and the first of it used, with slack for lagging nodes', () => {
    const observations = [
      [100, 4],
      [120, 5],
      [140, 6],
    ] as const;
    expect(blockRangeOfNonce(observations, 5, 1)).toEqual({ after: 112, to: 148 });
  });

  it('has no end if an observed block may be reorganized out, and starts at the last final block', () => {
    const observations = [
      [120, 5],
      [140, 6],
    ] as const;
    expect(blockRangeOfNonce(observations, 5, 12)).toEqual({ after: 101, to: undefined });
  });

  it('is unbounded without observations', () => {
    expect(blockRangeOfNonce([], 5, 1)).toEqual({ after: undefined, to: undefined });
  });
});
