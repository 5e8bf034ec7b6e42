import { describe, expect, it } from 'vitest';
import type { RpcClient } from '../chains/rpc-client.ts';
import { createChainReads } from './chain-reads.ts';
import { NotNow } from './order-kind.ts';

const HASH = `0x${'a'.repeat(64)}` as const;
const OTHER = `0x${'b'.repeat(64)}` as const;
const filter = { address: `0x${'1'.repeat(40)}`, topics: [], fromBlock: 1, toBlock: 9 } as const;

/** A node that has the given block and no logs. */
function nodeWith(block: unknown): RpcClient {
  const request: RpcClient['request'] = (calls) =>
    Promise.resolve(calls.map(({ method }) => ({ result: method === 'eth_getLogs' ? [] : block })));
  return { request, requestInParallel: request, requestOfEach: async (calls) => [await request(calls)] };
}

describe('an empty list of logs', () => {
  it('counts if the node has the block', async () => {
    expect(await createChainReads(nodeWith({ hash: HASH }), 9, HASH).logs(filter)).toEqual([]);
    expect(await createChainReads(nodeWith({ hash: OTHER }), 9).logs(filter)).toEqual([]);
  });

  it('does not count if the node lags or is on another branch', async () => {
    await expect(createChainReads(nodeWith(null), 9, HASH).logs(filter)).rejects.toThrow(NotNow);
    await expect(createChainReads(nodeWith({ hash: OTHER }), 9, HASH).logs(filter)).rejects.toThrow(NotNow);
  });
});
