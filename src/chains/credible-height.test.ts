import { createPublicClient, toHex } from 'viem';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { credibleHeight } from './credible-height.ts';
import { createRpcClient } from './rpc-client.ts';
import { rpcTransport } from './rpc-transport.ts';

interface Sent {
  readonly id: number;
  readonly method: string;
}

let chains = 0;

/**
 * A chain of its own with nodes at these heights, one after the other for each request; null if the node does not
 * answer.
 */
function chainOf(nodes: readonly (readonly (number | null)[])[]) {
  const asked = nodes.map(() => 0);
  vi.stubGlobal('fetch', async (url: string, init: RequestInit & { body: string }) => {
    const node = Number(new URL(url).hostname.split('.')[1]);
    const heights = nodes[node] ?? [];
    const height = heights[Math.min(asked[node] ?? 0, heights.length - 1)] ?? null;
    asked[node] = (asked[node] ?? 0) + 1;
    if (height === null) return new Response('', { status: 503 });
    const { id } = JSON.parse(init.body) as Sent;
    return Response.json({ jsonrpc: '2.0', id, result: toHex(height) });
  });
  const urls = nodes.map((_, index) => `https://node.${index}.test`);
  const rpc = createRpcClient(urls, { chainId: '43114', batchSize: 10, timeoutMs: 1_000 });
  chains += 1;
  return { chain: { id: `chain ${chains}`, rpc, client: createPublicClient({ transport: rpcTransport(rpc) }) }, asked };
}

afterEach(() => vi.unstubAllGlobals());

const ABSURD = 9_000_000_000_000_000;
const upstream = { kind: 'upstream', message: 'The chain does not answer' };

describe('the height of a chain', () => {
  it.each([
    ['the only node repeats it', [[1_000]]],
    ['its nodes are within a hundred blocks', [[1_000], [1_100], [900]]],
    ['those that answer are', [[1_000], [null], [1_003]]],
    ['one of three is elsewhere', [[1_000], [1_000], [5]]],
    ['two of three contradict the first one', [[ABSURD], [1_000], [1_001]]],
    ['the first node does not answer', [[null], [1_000]]],
  ])('counts if %s', async (_, nodes) => {
    expect(await credibleHeight(chainOf(nodes).chain)).toBe(1_000);
  });

  it.each([
    ['the only node names another one when it is asked again', [[ABSURD, 1_000]]],
    ['the only node repeats one that no chain can have', [[2 ** 70]]],
    ['the other of two nodes contradicts it', [[ABSURD], [1_000]]],
    ['no node answers when it is asked again', [[1_000, null]]],
    ['no node answers at all', [[null]]],
  ])('does not if %s', async (_, nodes) => {
    await expect(credibleHeight(chainOf(nodes).chain)).rejects.toMatchObject(upstream);
  });

  it('is not asked of the nodes again while it is near one that they agreed on, and a lie is still found', async () => {
    const { chain, asked } = chainOf([[1_000, 1_000, 1_060, 1_099, ABSURD, 1_060, 1_200]]);
    expect([await credibleHeight(chain), asked]).toEqual([1_000, [2]]);
    expect([await credibleHeight(chain), asked]).toEqual([1_060, [3]]);
    expect([await credibleHeight(chain), asked]).toEqual([1_099, [4]]);
    await expect(credibleHeight(chain)).rejects.toMatchObject(upstream);
    expect([await credibleHeight(chain), asked]).toEqual([1_200, [8]]);
  });
});
