import type { Hex } from 'viem';
import { describe, expect, it } from 'vitest';
import type { ChainHead } from './chain-head.ts';
import type { LaneContext } from './lane-context.ts';
import { newMemory } from './lane-state.ts';
import type { LaneState } from './lane-state.ts';
import { findNonceTakers } from './nonce-takers.ts';

const wallet = '0x00000000000000000000000000000000000000aa';
const hash: Hex = `0x${'1'.repeat(64)}`;

/** A chain on which a stranger used nonce 4 in one block, and a lane with these looks at it. */
function laneWith(takenIn: number, looks: readonly (readonly [number, number])[]) {
  const read: number[] = [];
  const rpc = {
    request: async (calls: readonly { params: readonly unknown[] }[]) =>
      calls.map(({ params }) => {
        const number = Number(params[0]);
        read.push(number);
        const transactions = number === takenIn ? [{ from: wallet, nonce: '0x4', hash }] : [];
        return { result: { transactions } };
      }),
  };
  const context = {
    lane: { chainId: '1', walletAddress: wallet },
    chain: { rpc, finality: 1 },
  } as unknown as LaneContext;
  const state = { looks, readBodies: () => {} } as unknown as LaneState;
  return { context, state, read };
}

const head = { number: 1_000, count: 9 } as ChainHead;

/** Blocks of a branch, with transactions in block 500. */
const onBranch = (name: string, transactions: readonly object[]) => (number: number) => ({
  result: {
    number: `0x${number.toString(16)}`,
    hash: `0x${name.repeat(64)}`,
    timestamp: '0x1',
    gasLimit: '0x1',
    transactions: number === 500 ? transactions : [],
  },
});

describe('findNonceTakers', () => {
  it('reads the bodies between the looks', async () => {
    const { context, state, read } = laneWith(503, [
      [500, 4],
      [510, 5],
    ] as const);
    expect([...(await findNonceTakers(context, state, newMemory(0), 4, head))]).toEqual([[4, hash]]);
    expect(Math.min(...read)).toBeGreaterThan(480);
    expect(Math.max(...read)).toBeLessThan(530);
  });

  it('reads further where it finds nothing: the block and the count of a look may be from different nodes', async () => {
    const { context, state } = laneWith(300, [
      [500, 4],
      [510, 5],
    ] as const);
    const memory = newMemory(0);
    let found = new Map<number, Hex>() as ReadonlyMap<number, Hex>;
    let calls = 0;
    for (; calls < 40 && found.size === 0; calls += 1) found = await findNonceTakers(context, state, memory, 4, head);
    expect([...found]).toEqual([[4, hash]]);
  });

  it('takes no body from a node that stayed on a branch that was taken back', async () => {
    const dead = onBranch('b', [{ from: wallet, nonce: '0x4', hash }]);
    const alive = onBranch('a', []);
    const takersBy = (node: typeof dead) => {
      const rpc = {
        request: async (calls: readonly { params: readonly unknown[] }[]) =>
          calls.map(({ params }) => node(Number(params[0]))),
      };
      const context = {
        lane: { chainId: '1', walletAddress: wallet },
        chain: { rpc, finality: 12 },
      } as unknown as LaneContext;
      const state = { looks: [[505, 4]], readBodies: () => {} } as unknown as LaneState;
      const seen = { number: 1_000, count: 9, hash: `0x${'a'.repeat(64)}` } as ChainHead;
      return findNonceTakers(context, state, newMemory(0), 4, seen);
    };
    expect(await takersBy(dead)).toEqual(new Map());
    expect(await takersBy(alive)).toEqual(new Map());
    const honest = onBranch('a', [{ from: wallet, nonce: '0x4', hash }]);
    expect(await takersBy(honest)).toEqual(new Map([[4, hash]]));
  });
});
