import { expect, it } from 'vitest';
import { numberToHex, pad, type Address } from 'viem';
import { readRange } from './read-range.ts';
import type { RpcCall, RpcReply } from '../chains/rpc-exchange.ts';

const header = (number: number) => ({
  number: numberToHex(number),
  hash: pad(numberToHex(number)),
  timestamp: '0x1',
  gasLimit: '0x1',
});
/** A node without logs. */
const answer = ({ method, params }: RpcCall): RpcReply => ({
  result: method === 'eth_getLogs' ? [] : header(Number(params[0])),
});
const ADDRESS: Address = `0x${'a'.repeat(40)}`;
const range = { from: 1, to: 2, addresses: [ADDRESS] };
const read = (providers: number, asked: number) =>
  readRange(
    { providers, requestOfEach: async (calls) => Array.from({ length: asked }, () => calls.flat().map(answer)) },
    [0, pad('0x0')],
    range,
  );

it.each([
  [1, 1, 'read'],
  [2, 1, 'read'],
  [3, 2, 'read'],
  [3, 1, 'disputed'],
  [4, 2, 'disputed'],
])('of %i nodes %i that are asked outvote the others or not: %s', async (providers, asked, kind) => {
  expect((await read(providers, asked)).kind).toBe(kind);
});
