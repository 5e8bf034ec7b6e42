import { beforeEach, describe, expect, it } from 'vitest';
import { afterMined, freeNonces, halved, isStalled, newMemory, updateProgress, type LaneMemory } from './driver.ts';

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

const chain = { blockTimeMs: 2_000 };
const unmined = [{ transaction: { id: 't' } }];
let memory: LaneMemory;
let size: number;
beforeEach(() => {
  memory = newMemory(0);
  memory.progress = { block: 100, at: 1_000_000, count: 5 };
  size = 512;
});

/** Observes a head as a lane does that has just been read again. @returns the size of its window. */
function observe(block: number, at: number, count = 5): number {
  const driver = { chain, memory, window: { size, mined: 0 } };
  updateProgress(driver, { number: block, readAt: at, count }, unmined);
  size = driver.window.size;
  return size;
}

it('the window is halved once for four blocks without progress, however often the lane is read again', () => {
  expect(observe(104, 1_007_999)).toBe(512);
  expect(observe(104, 1_008_000)).toBe(256);
  for (let reading = 1; reading <= 10; reading += 1) observe(104, 1_008_000 + reading * 100);
  expect(observe(107, 1_016_000)).toBe(256);
  expect(observe(108, 1_016_000)).toBe(128);
});

it('progress starts the count again', () => {
  expect(observe(104, 1_008_000)).toBe(256);
  expect(observe(105, 1_010_000, 6)).toBe(256);
  expect(observe(108, 1_016_000, 6)).toBe(256);
  expect(observe(109, 1_018_000, 6)).toBe(128);
});

describe('free nonces', () => {
  it('are the lowest ones not held, gaps first', () => {
    expect(freeNonces(5, new Set([5, 6, 8]), 3)).toEqual([7, 9, 10]);
    expect(freeNonces(0, new Set(), 2)).toEqual([0, 1]);
    expect(freeNonces(3, new Set([3]), 0)).toEqual([]);
  });
});
