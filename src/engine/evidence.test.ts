import { describe, expect, it } from 'vitest';
import type { RpcReply } from '../chains/rpc-exchange.ts';
import type { ChainHead } from './chain-head.ts';
import { blockRangeOfNonce, credibleHead, isPlausible, withObservation } from './evidence.ts';
import type { LaneContext } from './lane-context.ts';

type Seen = Pick<ChainHead, 'number' | 'count' | 'timestamp'>;

const NOW = 1_800_000_000;
const head: ChainHead = {
  number: 70_000_000,
  count: 500,
  timestamp: NOW,
  hash: `0x${'1'.repeat(64)}`,
  gasLimit: 30_000_000n,
  balance: 1n,
  baseFee: 1n,
  tip: 1n,
  paid: 500,
  fundsAt: NOW * 1_000,
  readAt: NOW * 1_000,
};

const hex = (value: number) => `0x${value.toString(16)}`;

function repliesOf({ number, count, timestamp }: Seen): RpcReply[] {
  const block = { number: hex(number), timestamp: hex(timestamp), gasLimit: '0x1', hash: head.hash };
  return [{ result: block }, { result: hex(count) }, { result: '0x1' }, { result: '0x1' }];
}

/** The head that is accepted as a first observation, given what each node reports; null if it does not answer. */
async function accepted(witnesses: readonly (Partial<Seen> | null)[], first: ChainHead | null = head) {
  const rpc = {
    providers: witnesses.length,
    requestOfEach: () =>
      Promise.resolve(
        witnesses.map((each) => (each === null ? [{ lost: 'no answer' }] : repliesOf({ ...head, ...each }))),
      ),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the check uses of a context
  const context = {
    chain: { rpc, blockTimeMs: 2_000 },
    lane: { walletAddress: '0x' },
    services: { clock: { now: () => NOW * 1_000 } },
  } as unknown as LaneContext;
  return (await credibleHead({ ...context, observations: [], floor: 0, held: new Set() }, first ?? undefined)).head;
}

const ahead = { number: head.number + 3, count: 501 };
const syncing = { number: 1_000, count: 0, timestamp: NOW - 200_000_000 };
const behind = { number: head.number - 20_000 };
const fewer = { count: 499 };
const before = { number: head.number - 1, count: 300 };

describe('the first observation of a lane', () => {
  it.each([
    ['the only node repeats it', [{}]],
    ['the nodes that answer agree', [{}, null, ahead]],
    ['the other node is still reading old blocks', [{}, syncing]],
    ['one node of three contradicts it', [{}, ahead, behind]],
  ])('is accepted if %s', async (_, witnesses) => {
    expect(await accepted(witnesses)).toBe(head);
  });

  it.each([['no node answers', [null, null]]])('is rejected if %s', async (_, witnesses) => {
    expect(await accepted(witnesses)).toBeUndefined();
  });

  it.each([
    ['the only node says less when it is asked again', [behind], behind],
    ['one of two nodes has a new block with a much lower number', [{}, behind], behind],
    ['one of two nodes counts fewer transactions at the same block', [{}, fewer], fewer],
    ['two of three contradict it', [{}, fewer, behind], fewer],
    ['its count is too high for the two others, some blocks behind', [{}, before, before], before],
  ])('is replaced by one with which most agree if %s', async (_, witnesses, instead) => {
    expect(await accepted(witnesses)).toMatchObject(instead);
  });

  it('is replaced if only a time in the future explains how far it is ahead of the two others', async () => {
    const early = { ...head, number: head.number + 300_000, timestamp: NOW + 20 * 3_600 };
    expect(await accepted([early, {}, {}], early)).toMatchObject({ number: head.number, timestamp: NOW });
  });

  it('is one with which most agree if the first node reports none', async () => {
    expect(await accepted([{}, fewer], null)).toMatchObject(fewer);
    expect(await accepted([{}], null)).toBeUndefined();
  });
});

describe('observations', () => {
  it('are kept once per count, with the newest block', () => {
    let observations = withObservation([], [100, 7]);
    observations = withObservation(observations, [101, 7]);
    observations = withObservation(observations, [140, 7]);
    observations = withObservation(observations, [139, 7]);
    observations = withObservation(observations, [150, 9]);
    expect(observations).toEqual([
      [140, 7],
      [150, 9],
    ]);
  });

  it('are bounded in number', () => {
    let observations: readonly (readonly [number, number])[] = [];
    for (let count = 0; count < 1_000; count += 1) observations = withObservation(observations, [count, count]);
    expect(observations.length).toBeLessThan(100);
    expect(observations.at(-1)).toEqual([999, 999]);
  });

  it('are implausible if the count grew faster than blocks allow', () => {
    expect(isPlausible([], [10, 1_000_000])).toBe(true);
    expect(isPlausible([[10, 5]], [11, 400])).toBe(true);
    expect(isPlausible([[10, 5]], [11, 1_000_000])).toBe(false);
    expect(isPlausible([[10, 5]], [9, 3])).toBe(true);
  });
});

describe('blocksOfNonce', () => {
  it('lies between the last observation of the nonce unused and the first of it used, with slack for lagging nodes', () => {
    const observations = [
      [100, 4],
      [120, 5],
      [140, 6],
    ] as const;
    expect(blockRangeOfNonce(observations, 5, 1)).toEqual({ after: 112, to: 148 });
  });

  it('has no end if an observed block may be reorganized out, and starts at the last final block', () => {
    const observations = [
      [120, 5],
      [140, 6],
    ] as const;
    expect(blockRangeOfNonce(observations, 5, 12)).toEqual({ after: 101, to: undefined });
  });

  it('is unbounded without observations', () => {
    expect(blockRangeOfNonce([], 5, 1)).toEqual({ after: undefined, to: undefined });
  });
});
