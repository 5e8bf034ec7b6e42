import { describe, expect, it } from 'vitest';
import type { RpcReply } from '../chains/rpc-client.ts';
import type { ChainHead } from './chain-head.ts';
import { isCredible } from './credible-head.ts';
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
  readAt: NOW * 1_000,
};

const hex = (value: number) => `0x${value.toString(16)}`;

function repliesOf({ number, count, timestamp }: Seen): RpcReply[] {
  const block = { number: hex(number), timestamp: hex(timestamp), gasLimit: '0x1', hash: head.hash };
  return [{ result: block }, { result: '0x1' }, { result: hex(count) }, { result: '0x1' }];
}

/** Whether a first observation is accepted, given what each node reports; null if it does not answer. */
function isAccepted(witnesses: readonly (Partial<Seen> | null)[]): Promise<boolean> {
  const rpc = {
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
  return isCredible(context, { observations: [], floor: 0, held: new Set() }, head);
}

const ahead = { number: head.number + 3, count: 501 };
const syncing = { number: 1_000, count: 0, timestamp: NOW - 200_000_000 };
const behind = { number: head.number - 20_000 };
const fewer = { count: 499 };

describe('the first observation of a lane', () => {
  it.each([
    ['the only node repeats it', [{}]],
    ['the nodes that answer agree', [{}, null, ahead]],
    ['the other node is still reading old blocks', [{}, syncing]],
    ['one node of three contradicts it', [{}, ahead, behind]],
  ])('is accepted if %s', async (_, witnesses) => {
    expect(await isAccepted(witnesses)).toBe(true);
  });

  it.each([
    ['no node answers', [null, null]],
    ['the only node contradicts it when it is queried again', [behind]],
    ['one of two nodes has a new block with a much lower number', [{}, behind]],
    ['one of two nodes counts fewer transactions at the same block', [{}, fewer]],
    ['two of three contradict it', [{}, fewer, behind]],
  ])('is rejected if %s', async (_, witnesses) => {
    expect(await isAccepted(witnesses)).toBe(false);
  });
});
