import { describe, expect, it } from 'vitest';
import { blocksOfNonce, isPlausible, withLook } from './looks.ts';

describe('looks', () => {
  it('are kept once a count, at the newest block that showed it', () => {
    let looks = withLook([], [100, 7]);
    looks = withLook(looks, [101, 7]);
    looks = withLook(looks, [140, 7]);
    looks = withLook(looks, [139, 7]);
    looks = withLook(looks, [150, 9]);
    expect(looks).toEqual([
      [140, 7],
      [150, 9],
    ]);
  });

  it('are bounded, however long a lane lives', () => {
    let looks: readonly (readonly [number, number])[] = [];
    for (let count = 0; count < 1_000; count += 1) looks = withLook(looks, [count, count]);
    expect(looks.length).toBeLessThan(100);
    expect(looks.at(-1)).toEqual([999, 999]);
  });

  it('that no chain can have made since the last one count for nothing', () => {
    expect(isPlausible([], [10, 1_000_000])).toBe(true);
    expect(isPlausible([[10, 5]], [11, 400])).toBe(true);
    expect(isPlausible([[10, 5]], [11, 1_000_000])).toBe(false);
    expect(isPlausible([[10, 5]], [9, 3])).toBe(true);
  });
});

describe('blocksOfNonce', () => {
  it('lies between the last look that saw the nonce unused and the first that saw it used, with room for nodes apart', () => {
    const looks = [
      [100, 4],
      [120, 5],
      [140, 6],
    ] as const;
    expect(blocksOfNonce(looks, 5, 1)).toEqual({ after: 112, to: 148 });
  });

  it('has no end where the block of a look may have been taken back, and begins where all branches agree', () => {
    const looks = [
      [120, 5],
      [140, 6],
    ] as const;
    expect(blocksOfNonce(looks, 5, 12)).toEqual({ after: 101, to: undefined });
  });

  it('is open where no look tells', () => {
    expect(blocksOfNonce([], 5, 1)).toEqual({ after: undefined, to: undefined });
  });
});
