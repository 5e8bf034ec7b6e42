import { expect, it } from 'vitest';
import { numberToHex, pad } from 'viem';
import type { Question } from '../chains/rpc-client.ts';
import { readRange } from './read-range.ts';
import type { RpcCall, RpcReply } from '../chains/rpc-exchange.ts';
import { lowerCase } from '../core/lower-case.ts';

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
const ADDRESS = lowerCase(`0x${'a'.repeat(40)}`);
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

const refused: RpcReply = { error: { code: -32_005, message: 'too many results', data: undefined } };
const lost: RpcReply = { lost: 'rate limit' };
const empty: RpcReply = { result: [] };

it.each([
  [[lost], 'silent'],
  [[refused], 'refused'],
  [[empty, lost], 'silent'],
  [[refused, lost], 'silent'],
  [[empty, refused, lost], 'silent'],
  [[refused, refused, lost], 'refused'],
  [[empty, empty, lost], 'read'],
])('a search for logs to which nodes reply %j, and to all else as they should, is %s', async (logs, kind) => {
  const requestOfEach = async (questions: readonly Question[]) =>
    logs.map((reply) => questions.flat().map((call) => (call.method === 'eth_getLogs' ? reply : answer(call))));
  const reply = await readRange({ providers: logs.length, requestOfEach }, [0, pad('0x0')], range);
  expect(reply.kind).toBe(kind);
});
