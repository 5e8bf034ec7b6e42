import { describe, expect, it } from 'vitest';
import {
  concatHex,
  encodeAbiParameters,
  encodeErrorResult,
  HttpRequestError,
  parseAbi,
  RpcRequestError,
  TimeoutError,
  toHex,
} from 'viem';
import { selectorOf } from './abi-parameter.ts';
import { classifyCallError, revertReason, classifySendError } from './rpc-error.ts';
import type { SendErrorKind } from './rpc-error.ts';

const url = 'https://node.example';

/** The error with which a node replies to a call. */
const rpcError = (message: string, code = -32_000, data?: unknown) =>
  new RpcRequestError({ body: {}, url, error: { code, message, data } });

/** What nodes reply to eth_sendRawTransaction, by the verdict. */
const REPLIES: Record<Exclude<SendErrorKind, 'unknown'>, readonly string[]> = {
  known: [
    'already known', // geth, coreth, Erigon
    'known transaction: 0x4f1b8e1e1f', // geth
    'existing tx with same hash', // Erigon
    'AlreadyKnown', // Nethermind
    'transaction already imported', // anvil
    'Transaction with the same hash was already imported.', // OpenEthereum
    'tx already in mempool', // providers
  ],
  'nonce-too-low': [
    'nonce too low', // geth, coreth, Erigon, anvil
    'nonce too low: next nonce 5, tx nonce 4', // geth
    'OldNonce, Current nonce: 5, nonce of rejected tx: 4', // Nethermind
  ],
  underpriced: [
    'transaction underpriced', // geth, coreth, anvil
    'transaction underpriced: gas tip cap 1, minimum needed 25000000000', // geth
    'replacement transaction underpriced', // geth, coreth, Erigon, anvil
    'max fee per gas less than block base fee: address 0x00, maxFeePerGas: 1, baseFee: 25000000000', // geth, coreth, anvil
    'underpriced', // Erigon
    'fee too low', // Erigon
    'could not replace existing tx', // Erigon
    'INTERNAL_ERROR: could not replace existing tx', // Erigon
    'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7', // Nethermind
    'FeeTooLowToCompete', // Nethermind
    'ReplacementNotAllowed', // Nethermind
  ],
  'no-funds': [
    'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000', // geth, coreth
    'insufficient funds', // Erigon
    'Insufficient funds for gas * price + value', // anvil
    'InsufficientFunds, Account balance: 0, cumulative cost: 21000', // Nethermind
  ],
  refused: [
    'exceeds block gas limit', // geth, coreth
    'transaction gas limit too high (cap: 16777216, tx: 20000000)', // geth
    'intrinsic gas too low: gas 20000, minimum needed 21000', // geth, coreth, Erigon, anvil
    'oversized data: transaction size 200000, limit 131072', // geth, coreth, Erigon
    'invalid sender', // geth, coreth, Erigon
    'tip higher than fee cap', // geth
    'max priority fee per gas higher than max fee per gas', // geth, coreth, anvil
    'gas limit is too high', // Erigon
    'GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000', // Nethermind
  ],
};

describe('a node that refuses signed bytes', () => {
  it.each(Object.entries(REPLIES).flatMap(([verdict, texts]) => texts.map((text) => [text, verdict])))(
    'says "%s": %s',
    (text, verdict) => expect(classifySendError(rpcError(text))).toBe(verdict),
  );

  it.each([
    'txpool is full',
    'NonceGap, Future nonce. Expected nonce: 5',
    'pending sub-pool is full',
    'internal error',
    'rate limit exceeded',
  ])('may have taken them, or may yet, where it says "%s"', (text) => {
    expect(classifySendError(rpcError(text))).toBe('unknown');
  });

  it.each([
    ['a timeout', new TimeoutError({ body: {}, url })],
    ['a gateway that speaks of a gas limit', new HttpRequestError({ url, status: 502, details: 'over the gas limit' })],
    ['a connection that broke', new TypeError('fetch failed')],
    ['something that is no error', 'nothing'],
  ])('may have taken them after %s', (_, error) => {
    expect(classifySendError(error)).toBe('unknown');
  });
});

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

  it('says nothing of the call where the node failed', () => {
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
