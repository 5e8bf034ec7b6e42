import { expect, it } from 'vitest';
import type { ChainHead } from './chain-head.ts';
import { Driver } from './driver.ts';
import type { LaneContext } from './lane-context.ts';
import { LaneMemory } from './lane-memory.ts';
import type { LaneReading } from './store/read-lane.ts';

const head = (number: number, count: number) => ({ number, count, hash: '0x', readAt: 0 }) as unknown as ChainHead;

it('what one loop has observed survives an older head that the other one read meanwhile', () => {
  const chain = { window: { start: 1, max: 1 }, finality: 1, rpc: { providers: 3 } };
  const context = {
    services: { clock: { now: () => 0 } },
    kinds: new Map(),
    lane: {},
    chain,
  } as unknown as LaneContext;
  const lane = { observations: [[1_000, 5]], floor: 0, inFlightWindow: null };
  const reading = { lane, underWay: [], held: [], nextFinal: null } as unknown as LaneReading;
  const memory = new LaneMemory(0);
  const driver = new Driver(context, memory, reading, Infinity);
  driver.recordHead(head(1_005, 6), []);
  driver.recordHead(head(1_003, 5), []);
  expect(driver.observations).toEqual(expect.arrayContaining([[1_005, 6]]));
  expect(driver.newestBlock).toBe(1_005);

  driver.recordHead(head(1_006, 6), [[1_005, 6]]);
  expect(driver.observations).not.toContainEqual([1_005, 6]);
});
