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
    expect([1, 2, 3, 4, 5, 8].map(isStalled)).toEqual([false, false, false, true, false, true]);
  });
});
