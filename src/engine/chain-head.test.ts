import { describe, expect, it } from 'vitest';
import type { Question, RpcClient } from '../chains/rpc-client.ts';
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

function providerOf(
  node: (call: RpcCall) => RpcReply,
  watch: (questions: readonly Question[]) => void = () => {},
): RpcClient {
  const request: RpcClient['request'] = (questions) => {
    watch(questions);
    return Promise.resolve(questions.flat().map(node));
  };
  return { providers: 1, request, requestInParallel: request, requestOfEach: async (calls) => [await request(calls)] };
}

const blocks = (...numbers: readonly number[]) => numbers.map((blockNumber) => ({ blockNumber }));

describe('block hashes', () => {
  const head = { number: 30, hash: hashOf('a', 30) };

  it('come from a node that has the head', async () => {
    const rpc = providerOf(nodeOn('a', 31));
    expect(await readBlockHashes({ rpc, finality: 12 }, blocks(10, 30), head)).toEqual(
      new Map([
        [10, hashOf('a', 10)],
        [30, hashOf('a', 30)],
      ]),
    );
  });

  it.each([
    ['is on another branch and behind', nodeOn('b', 20)],
    ['is on another branch', nodeOn('b', 40)],
    ['is behind', nodeOn('a', 29)],
  ])('do not come from a node that %s', async (_, node) => {
    const rpc = providerOf(node);
    expect(await readBlockHashes({ rpc, finality: 12 }, blocks(10, 11), head)).toEqual(new Map());
  });

  it('are asked in one batch with the head, which one node must answer for each of them', async () => {
    const asked: (readonly Question[])[] = [];
    const rpc = providerOf(nodeOn('a', 30), (questions) => asked.push(questions));
    expect(await readBlockHashes({ rpc, finality: 12 }, blocks(10, 11, 12), head)).toHaveProperty('size', 3);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.map((pair) => [pair].flat().map(({ params }) => Number(params[0])))).toEqual([
      [10, 30],
      [11, 30],
      [12, 30],
    ]);
  });

  it('come from any node of a chain without branches', async () => {
    const rpc = providerOf(nodeOn('a', 20));
    expect(await readBlockHashes({ rpc, finality: 1 }, blocks(10), head)).toEqual(new Map([[10, hashOf('a', 10)]]));
  });
});
