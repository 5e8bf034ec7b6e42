import { describe, expect, it } from 'vitest';
import type { RpcCall, RpcClient, RpcReply } from '../chains/rpc-client.ts';
import { readBlockHashes, toHex } from './chain-head.ts';

const hashOf = (branch: string, number: number) => `0x${branch.repeat(60)}${String(number).padStart(4, '0')}` as const;

/** Blocks of a branch up to a height, as a node has them. */
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
  return { request, requestAtOnce: request };
}

describe('hashes of blocks', () => {
  const head = { number: 30, hash: hashOf('a', 30) };

  it('are those of the branch of the head, from a node that has the head', async () => {
    const rpc = providerOf([nodeOn('a', 31)]);
    expect(await readBlockHashes({ rpc, finality: 12 }, [10, 30], head)).toEqual(
      new Map([
        [10, hashOf('a', 10)],
        [30, hashOf('a', 30)],
      ]),
    );
  });

  it('are not taken from a node that stayed on a branch that was taken back, nor from one that is behind', async () => {
    const rpc = providerOf([nodeOn('b', 20), nodeOn('b', 40), nodeOn('a', 29), nodeOn('a', 30)]);
    expect(await readBlockHashes({ rpc, finality: 12 }, [10, 11, 12, 13], head)).toEqual(
      new Map([[13, hashOf('a', 13)]]),
    );
  });

  it('are taken from any node where no block is ever taken back', async () => {
    const rpc = providerOf([nodeOn('a', 20)]);
    expect(await readBlockHashes({ rpc, finality: 1 }, [10], head)).toEqual(new Map([[10, hashOf('a', 10)]]));
  });
});
