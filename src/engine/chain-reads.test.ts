import { describe, expect, it } from 'vitest';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { RpcCall, RpcErrorObject, RpcReply } from '../chains/rpc-exchange.ts';
import { createChainReads, logsSince, mostBlocksSince } from './chain-reads.ts';
import { NotNow } from './order-kind.ts';

const HASH = `0x${'a'.repeat(64)}` as const;
const OTHER = `0x${'b'.repeat(64)}` as const;
const blockWith = (hash: string) => ({ number: '0x9', hash, timestamp: '0x1', gasLimit: '0x1' });
const filter = { address: `0x${'1'.repeat(40)}`, topics: [], fromBlock: 1, toBlock: 9 } as const;

/** A node that has no logs, and otherwise always the same result. */
function nodeWith(result: unknown, ask: (params: readonly unknown[]) => void = () => {}): RpcClient {
  return clientOf(({ method, params }) => {
    ask(params);
    return { result: method === 'eth_getLogs' ? [] : result };
  });
}

const nodeThatRefuses = (error: RpcErrorObject) => clientOf(() => ({ error }));

const readsOf = (rpc: RpcClient, finality = 2) => createChainReads({ rpc, finality }, { number: 9, hash: HASH });

function clientOf(answer: (call: RpcCall) => RpcReply): RpcClient {
  const request: RpcClient['request'] = (calls) => Promise.resolve(calls.flat().map(answer));
  const requestOfEach: RpcClient['requestOfEach'] = async (calls) => [await request(calls)];
  return { providers: 1, request, requestInParallel: request, requestOfEach };
}

describe('an empty list of logs', () => {
  it('counts if the node has the block', async () => {
    expect(await readsOf(nodeWith(blockWith(HASH))).logs(filter)).toEqual([]);
  });

  it('does not count if the node lags or is on another branch', async () => {
    await expect(readsOf(nodeWith(null)).logs(filter)).rejects.toThrow(NotNow);
    await expect(readsOf(nodeWith(blockWith(OTHER))).logs(filter)).rejects.toThrow(NotNow);
  });
});

it('logs that one node hides count if another has them', async () => {
  const { address } = filter;
  const place = { blockHash: HASH, transactionHash: OTHER, logIndex: '0x0', blockNumber: '0x9' };
  const log = { ...place, address, topics: [], data: '0x' };
  const nodes = [[], [log], [log]];
  const rpc: RpcClient = {
    ...nodeWith(null),
    requestOfEach: (calls) =>
      Promise.resolve(
        nodes.map((logs) =>
          calls.flat().map(({ method }) => ({ result: method === 'eth_getLogs' ? logs : blockWith(HASH) })),
        ),
      ),
  };
  expect(await readsOf(rpc).logs(filter)).toMatchObject([{ transactionHash: OTHER }]);
});

const logAt = (block: number) => ({
  address: filter.address,
  topics: [],
  data: '0x',
  logIndex: '0x0',
  transactionHash: OTHER,
  blockHash: OTHER,
  blockNumber: `0x${block.toString(16)}`,
});

describe('logs since a block', () => {
  const head = { number: 9_000, hash: HASH };
  const blocks = [3, 2_500, 8_999];
  /** A node with a log in each of these blocks. @param most How many blocks it returns logs of. */
  const nodeWithin = (most: number, asked: number[] = []) =>
    clientOf(({ method, params: [query] }) => {
      if (method !== 'eth_getLogs') return { result: { ...blockWith(HASH), number: '0x2328' } };
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the reads ask for
      const { fromBlock, toBlock } = query as Readonly<Record<string, string>>;
      const [from, to] = [Number(fromBlock), Number(toBlock)];
      asked.push(to - from + 1);
      if (to - from >= most) {
        return { error: { code: -32_000, message: 'block range is limited to 1000', data: undefined } };
      }
      return { result: blocks.filter((block) => from <= block && block <= to).map(logAt) };
    });
  const read = async (rpc: RpcClient, from: number) => {
    const { address, topics } = filter;
    const logs = await logsSince(createChainReads({ rpc, finality: 2 }, head), { address, topics }, from);
    return logs?.map(({ blockNumber }) => Number(blockNumber));
  };

  it.each([2_000, 1_000, 500, 10])('are read of a node that returns those of at most %i blocks', async (most) => {
    expect(await read(nodeWithin(most), 0)).toEqual(blocks);
    expect(await read(nodeWithin(most), 2_501)).toEqual([8_999]);
  });

  it('are asked for in ranges that get shorter only where a node refuses them, each block once', async () => {
    const asked: number[] = [];
    await read(nodeWithin(2_000, asked), 1);
    expect(asked).toEqual([2_000, 2_000, 2_000, 2_000, 1_000]);
  });

  it('are not known of a node that refuses those of a single block, and wait for one that does not answer', async () => {
    expect(await read(nodeWithin(0), 0)).toBeUndefined();
    await expect(
      read(
        clientOf(() => ({ lost: 'rate limit' })),
        0,
      ),
    ).rejects.toThrow(NotNow);
  });
});

it('a chain may have added ten times as many blocks as usual', () => {
  expect(mostBlocksSince({ clock: { now: () => 60_000 }, blockTimeMs: 2_000 }, new Date(0))).toBe(300);
});

describe('a call and code', () => {
  const call = { from: filter.address, to: filter.address, data: '0x' } as const;

  it('are read at the hash of the block where there are branches, and otherwise at its number', async () => {
    const asked: unknown[] = [];
    const node = nodeWith('0x', (params) => asked.push(params[1]));
    for (const finality of [2, 1]) {
      const reads = readsOf(node, finality);
      await reads.call(call);
      await reads.code(filter.address);
    }
    const byHash = { blockHash: HASH, requireCanonical: true };
    expect(asked).toEqual([byHash, byHash, '0x9', '0x9']);
  });

  it.each([
    ['does not have the block', { code: -32_000, message: 'header for hash not found' }],
    ['does not have the block, in the words of anvil', { code: -32_001, message: 'Resource not found' }],
    ['is on another branch', { code: -32_000, message: 'hash is not currently canonical' }],
    ['does not support block hashes', { code: -32_602, message: 'invalid argument 1: hex string without 0x prefix' }],
  ])('prove nothing if the node %s', async (_, { code, message }) => {
    const reads = readsOf(nodeThatRefuses({ code, message, data: undefined }), 2);
    await expect(reads.call(call)).rejects.toThrow(NotNow);
    await expect(reads.code(filter.address)).rejects.toThrow(NotNow);
  });
});
