import { expect, it } from 'vitest';
import type { ChainHead } from './chain-head.ts';
import { Driver } from './driver.ts';
import type { LaneContext } from './lane-context.ts';
import { LaneMemory } from './lane-memory.ts';
import type { LaneReading } from './store/read-lane.ts';

const head = (number: number, count: number) => ({ number, count, hash: '0x', readAt: 0 }) as unknown as ChainHead;

/** A driver of one run. @param observations What the database has of the chain. */
function driverOf(memory: LaneMemory, observations: readonly (readonly [number, number])[]): Driver {
  const chain = { window: 1, finality: 1, rpc: { providers: 3 } };
  const context = {
    services: { clock: { now: () => 0 } },
    kinds: new Map(),
    lane: {},
    chain,
  } as unknown as LaneContext;
  const lane = { observations, floor: 0 };
  const reading = { lane, underWay: [], held: [], nextFinal: null } as unknown as LaneReading;
  return new Driver(context, memory, reading, Infinity);
}

it('what is known to have used a nonce is not searched for again in the next run', () => {
  const memory = new LaneMemory(0);
  const observations = [
    [1_000, 0],
    [1_005, 2],
  ] as const;
  const first = driverOf(memory, observations);
  first.recordHead(head(1_006, 2), []);
  expect(first.unknownNonces).toEqual([0, 1]);
  first.recordExplained(0, 1_003);
  expect(first.unknownNonces).toEqual([1]);
  first.recordExplained(1, 1_004);
  const second = driverOf(memory, observations);
  second.recordHead(head(1_007, 2), []);
  expect([second.unknownNonces, second.doubt]).toEqual([[], undefined]);
});

it('what one loop has observed survives an older head that the other one read meanwhile', () => {
  const driver = driverOf(new LaneMemory(0), [[1_000, 5]]);
  driver.recordHead(head(1_005, 6), []);
  driver.recordHead(head(1_003, 5), []);
  expect(driver.observations).toEqual(expect.arrayContaining([[1_005, 6]]));
  expect(driver.newestBlock).toBe(1_005);

  driver.recordHead(head(1_006, 6), [[1_005, 6]]);
  expect(driver.observations).not.toContainEqual([1_005, 6]);
});
