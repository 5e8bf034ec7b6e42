import { describe, expect, it } from 'vitest';
import {
  concatHex,
  encodeAbiParameters,
  encodeErrorResult,
  HttpRequestError,
  parseAbi,
  RpcRequestError,
  toHex,
} from 'viem';
import { selectorOf } from './abi-parameter.ts';
import { classifyCallError, revertReason } from './rpc-error.ts';

const url = 'https://node.example';

/** The error with which a node replies to a call. */
const rpcError = (message: string, code = -32_000, data?: unknown) =>
  new RpcRequestError({ body: {}, url, error: { code, message, data } });

describe('a call or an estimate that fails', () => {
  const bytes = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: ['not today'] });

  it.each([
    ['geth', rpcError('execution reverted: not today', 3, bytes), 'Error(not today)'],
    ['Erigon, without bytes', rpcError('execution reverted: not today'), 'not today'],
    ['Nethermind', rpcError('VM execution error.', -32_015, { data: bytes }), 'Error(not today)'],
    ['a revert without a reason', rpcError('execution reverted', 3, '0x'), undefined],
    ['anvil, out of gas', rpcError('EVM error OutOfGas', -32_003), undefined],
    ['geth, an invalid opcode', rpcError('invalid opcode: INVALID'), undefined],
  ])('reverts: %s', (_, error, reason) => {
    expect(classifyCallError(error)).toEqual({ kind: 'reverted', reason });
  });

  it.each([
    'insufficient funds for gas * price + value: balance 0',
    'gas required exceeds allowance (0)',
    'InsufficientFunds, Account balance: 0, cumulative cost: 1',
  ])('lacks funds: %s', (text) => {
    expect(classifyCallError(rpcError(text))).toEqual({ kind: 'no-funds' });
  });

  it('is unknown if the node failed', () => {
    expect(classifyCallError(rpcError('header not found'))).toEqual({ kind: 'unknown', message: 'header not found' });
    expect(classifyCallError(new HttpRequestError({ url, status: 503, details: 'unavailable' }))).toMatchObject({
      kind: 'unknown',
    });
  });
});

const saying = (words: string) =>
  encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [words] });

describe('revertReason', () => {
  it('formats the error and its arguments', () => {
    expect(revertReason(saying('not today'))).toBe('Error(not today)');
    expect(revertReason('0x')).toBeUndefined();
    expect(revertReason('0x12345678')).toBe('unknown error 0x12345678');
  });

  it('returns one line that can be stored, whatever the contract returns', () => {
    expect(revertReason(saying('a\u0000b\r\nc\u009fd'))).toBe('Error(a b c d)');
    const cut = revertReason(saying('\u{1F600}'.repeat(1_000))) ?? '';
    expect(cut).toHaveLength(500);
    expect(cut.isWellFormed()).toBe(true);
  });

  it('returns the selector when the data does not match the ABI, is too long, or decodes to too much', () => {
    const error = { name: 'Bomb', inputs: [{ type: 'bytes[]' }] };
    const selector = selectorOf(error);
    const pointers = Array.from({ length: 1_000 }, () => toHex(32_000, { size: 32 }));
    const blob = toHex('x'.repeat(10_000));
    const words = concatHex([toHex(32, { size: 32 }), toHex(1_000, { size: 32 }), ...pointers]);
    const bomb = concatHex([selector, words, toHex(10_000, { size: 32 }), blob]);
    expect(revertReason(bomb, [error])).toBe(`unknown error ${selector}`);
    expect(revertReason(`${selector}${'00'.repeat(70_000)}`, [error])).toBe(`unknown error ${selector}`);
    expect(revertReason(selector, [error])).toBe(`unknown error ${selector}`);
    const fine = encodeAbiParameters([{ type: 'bytes[]' }], [['0x01', '0x02']]);
    expect(revertReason(concatHex([selector, fine]), [error])).toBe('Bomb(["0x01","0x02"])');
  });
});
