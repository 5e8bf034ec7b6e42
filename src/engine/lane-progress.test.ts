import { beforeEach, describe, expect, it } from 'vitest';
import { LaneProgress } from './lane-progress.ts';

const BLOCK_TIME_MS = 2_000;
let progress: LaneProgress;
beforeEach(() => {
  progress = new LaneProgress(0);
  progress.record({ number: 100, readAt: 1_000_000, count: 5 });
});

/** Observes a head while something is in flight. @returns whether the window is to be halved. */
function observe(number: number, readAt: number, count = 5): boolean {
  return progress.observe({ number, readAt, count }, 't', BLOCK_TIME_MS);
}

describe('the window is halved', () => {
  it.each([
    ['three slow blocks', 3, 60_000, false],
    ['four usual blocks', 4, 8_000, true],
    ['four fast blocks', 4, 7_999, false],
    ['a hundred blocks in a second', 100, 1_000, false],
    ['a hundred fast blocks', 100, 8_000, true],
  ])('after four blocks and four block times without progress: %s', (_, blocks, ms, expected) => {
    expect(observe(100 + blocks, 1_000_000 + ms)).toBe(expected);
  });

  it('once for four blocks without progress, however often the lane is read again', () => {
    expect(observe(104, 1_008_000)).toBe(true);
    for (let reading = 1; reading <= 10; reading += 1) expect(observe(104, 1_008_000 + reading * 100)).toBe(false);
    expect(observe(107, 1_016_000)).toBe(false);
    expect(observe(108, 1_016_000)).toBe(true);
  });

  it('four blocks after the last progress', () => {
    expect(observe(104, 1_008_000)).toBe(true);
    expect(observe(105, 1_010_000, 6)).toBe(false);
    expect(observe(108, 1_016_000, 6)).toBe(false);
    expect(observe(109, 1_018_000, 6)).toBe(true);
  });
});
