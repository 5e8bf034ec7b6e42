import { describe, expect, it } from 'vitest';
import type { RpcClient } from '../chains/rpc-client.ts';
import type { RpcCall, RpcReply } from '../chains/rpc-exchange.ts';
import { toHex } from '../chains/rpc-values.ts';
import { readBlockHashes } from './chain-head.ts';

const hashOf = (branch: string, number: number) => `0x${branch.repeat(60)}${String(number).padStart(4, '0')}` as const;

/** The replies of a node that has the blocks of a branch up to a height. */
const nodeOn =
  (branch: string, height: number) =>
  ({ params }: RpcCall): RpcReply => {
    const number = Number(params[0]);
    return {
      result:
        number > height
          ? null
          : { number: toHex(number), hash: hashOf(branch, number), timestamp: '0x1', gasLimit: '0xe4e1c0' },
    };
  };

/** A provider whose nodes answer one batch each, in turn. */
function providerOf(nodes: readonly ((call: RpcCall) => RpcReply)[]): RpcClient {
  let asked = 0;
  const request = (calls: readonly RpcCall[]) => {
    const node = nodes[asked % nodes.length];
    asked += 1;
    if (node === undefined) throw new Error('A provider has a node');
    return Promise.resolve(calls.map(node));
  };
  const requestOfEach = (calls: readonly RpcCall[]) => Promise.resolve(nodes.map((node) => calls.map(node)));
  return { providers: 1, request, requestInParallel: request, requestTogether: request, requestOfEach };
}

const blocks = (...numbers: readonly number[]) => numbers.map((blockNumber) => ({ blockNumber }));

describe('block hashes', () => {
  const head = { number: 30, hash: hashOf('a', 30) };

  it('come from a node that has the head', async () => {
    const rpc = providerOf([nodeOn('a', 31)]);
    expect(await readBlockHashes({ rpc, finality: 12 }, blocks(10, 30), head)).toEqual(
      new Map([
        [10, hashOf('a', 10)],
        [30, hashOf('a', 30)],
      ]),
    );
  });

  it('do not come from a node that is behind or on another branch', async () => {
    const rpc = providerOf([nodeOn('b', 20), nodeOn('b', 40), nodeOn('a', 29), nodeOn('a', 30)]);
    expect(await readBlockHashes({ rpc, finality: 12 }, blocks(10, 11, 12, 13), head)).toEqual(
      new Map([[13, hashOf('a', 13)]]),
    );
  });

  it('come from any node of a chain without branches', async () => {
    const rpc = providerOf([nodeOn('a', 20)]);
    expect(await readBlockHashes({ rpc, finality: 1 }, blocks(10), head)).toEqual(new Map([[10, hashOf('a', 10)]]));
  });
});
