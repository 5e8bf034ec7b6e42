import { describe, expect, it } from 'vitest';
import { afterMined, halved, isStalled } from './in-flight-window.ts';

describe('the in-flight window', () => {
  it('doubles once a whole window has been mined, up to its maximum', () => {
    const start = { size: 256, mined: 0 };
    const almostFull = afterMined(start, 255, 512);
    expect(almostFull.size).toBe(256);
    expect(afterMined(almostFull, 1, 512)).toEqual({ size: 512, mined: 0 });
    expect(afterMined({ size: 512, mined: 0 }, 600, 512).size).toBe(512);
  });

  it('keeps halving while nothing is mined, down to one', () => {
    let window = { size: 5, mined: 4 };
    for (const size of [2, 1, 1]) {
      window = halved(window);
      expect(window).toEqual({ size, mined: 0 });
    }
  });

  it.each([
    ['three slow blocks', 3, 60_000, false],
    ['four usual blocks', 4, 8_000, true],
    ['four fast blocks', 4, 7_999, false],
    ['a hundred blocks in a second', 100, 1_000, false],
    ['a hundred fast blocks', 100, 8_000, true],
  ])('is halved after four blocks and four block times without progress: %s', (_, blocks, ms, expected) => {
    const since = { block: 10, at: 1_000 };
    expect(isStalled(since, { block: 10 + blocks, at: 1_000 + ms }, { blockTimeMs: 2_000 })).toBe(expected);
  });
});
