import type { Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { ChainHead } from './chain-head.ts';
import type { LaneContext } from './lane-context.ts';
import { newMemory } from './lane-state.ts';
import type { LaneState } from './lane-state.ts';
import { findNonceConsumers } from './nonce-consumers.ts';

const wallet = '0x00000000000000000000000000000000000000aa';
const hash: Hex = `0x${'1'.repeat(64)}`;

/** A chain on which another transaction used nonce 4 in the given block, and a lane with the given observations. */
function laneWith(usedIn: number, observations: readonly (readonly [number, number])[], finality = 1) {
  const read: number[] = [];
  const rpc = {
    request: async (calls: readonly { params: readonly unknown[] }[]) =>
      calls.map(({ params }) => {
        const number = Number(params[0]);
        read.push(number);
        const transactions = number === usedIn ? [{ from: wallet, nonce: '0x4', hash }] : [];
        return { result: { transactions } };
      }),
  };
  const context = {
    lane: { chainId: '1', walletAddress: wallet },
    chain: { rpc, finality },
  } as unknown as LaneContext;
  const state = { observations, recordBodiesRead: () => {} } as unknown as LaneState;
  return { context, state, read };
}

const head = { number: 1_000, count: 9 } as ChainHead;
const consumed = { nonce: 4, usedAt: 510 };

describe('findNonceConsumers', () => {
  it('reads the blocks between the observations', async () => {
    const { context, state, read } = laneWith(503, [
      [500, 4],
      [510, 5],
    ] as const);
    expect([...(await findNonceConsumers(context, state, newMemory(0), consumed, head))]).toEqual([[4, hash]]);
    expect(Math.min(...read)).toBeGreaterThan(480);
    expect(Math.max(...read)).toBeLessThan(530);
  });

  it('widens an unsuccessful search, because the block and count of an observation may come from different nodes', async () => {
    const { context, state } = laneWith(300, [
      [500, 4],
      [510, 5],
    ] as const);
    const memory = newMemory(0);
    let found = new Map<number, Hex>() as ReadonlyMap<number, Hex>;
    let calls = 0;
    for (; calls < 40 && found.size === 0; calls += 1)
      found = await findNonceConsumers(context, state, memory, consumed, head);
    expect([...found]).toEqual([[4, hash]]);
  });

  it('reads each block once until the block that showed the nonce used is final, and then finds it', async () => {
    const { context, state, read } = laneWith(1_000, [[990, 4]] as const, 64);
    const memory = newMemory(0);
    const at = (number: number) =>
      findNonceConsumers(context, state, memory, { nonce: 4, usedAt: 1_000 }, { ...head, number });
    for (let number = 1_000; number < 1_063; number += 1) for (let calls = 0; calls < 4; calls += 1) await at(number);
    expect(new Set(read).size).toBe(read.length);
    expect(Math.max(...read)).toBe(999);
    expect([...(await at(1_063))]).toEqual([[4, hash]]);
  });
});
