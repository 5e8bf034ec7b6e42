import { beforeEach, expect, it } from 'vitest';
import { updateProgress } from './lane-progress.ts';
import { newMemory } from './lane-state.ts';
import type { LaneMemory } from './lane-state.ts';

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
  const state = { window: { size, mined: 0 } };
  updateProgress(chain, state, memory, { number: block, readAt: at, count }, unmined);
  size = state.window.size;
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
