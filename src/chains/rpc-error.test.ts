import { describe, expect, it } from 'vitest';
import { BaseError, concatHex, encodeAbiParameters, encodeErrorResult, parseAbi, toHex, type Hex } from 'viem';
import { selectorOf } from './abi-parameter.ts';
import { classifyCallError, classifyCallReply, revertReason, RpcFailure } from './rpc-error.ts';
import { toQuantity } from './rpc-values.ts';

const rpcError = (message: string, code = -32_000, data?: Hex) => ({ error: { code, message, data } });

describe('the reply to a call or an estimate', () => {
  const bytes = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: ['not today'] });

  it.each([
    ['geth', rpcError('execution reverted: not today', 3, bytes), 'Error(not today)'],
    ['Erigon, without bytes', rpcError('execution reverted: not today'), 'not today'],
    ['Nethermind', rpcError('VM execution error.', -32_015, bytes), 'Error(not today)'],
    ['a revert without a reason', rpcError('execution reverted', 3, '0x'), undefined],
    ['anvil, out of gas', rpcError('EVM error OutOfGas', -32_003), 'EVM error OutOfGas'],
    ['anvil, an invalid opcode', rpcError('EVM error InvalidFEOpcode', -32_003), undefined],
    ['geth, an invalid opcode', rpcError('invalid opcode: INVALID'), undefined],
    ['more gas than there is', rpcError('gas required exceeds allowance (50000000)'), expect.stringContaining('gas')],
    ['words of a node, said by the contract', rpcError('execution reverted: token not found'), 'token not found'],
    ['the same of funds', rpcError('execution reverted: insufficient funds'), 'insufficient funds'],
  ])('is a revert: %s', (_, reply, reason) => {
    expect(classifyCallReply(reply, toQuantity)).toEqual({ kind: 'reverted', data: reply.error.data ?? '0x', reason });
  });

  it.each([
    'insufficient funds for gas * price + value: balance 0',
    'insufficient funds for transfer',
    'gas required exceeds allowance (0)',
    'InsufficientFunds, Account balance: 0, cumulative cost: 1',
    'EVM error OutOfFunds',
    'header not found',
    'BlockOutOfRangeError: block height is 5 but requested was 9',
    'missing trie node 12ab',
    'internal error',
  ])('is unknown if it is not about the call: %s', (message) => {
    expect(classifyCallReply(rpcError(message), toQuantity)).toEqual({ kind: 'unknown', detail: message });
  });

  it('is the value if it is valid, otherwise unknown', () => {
    expect(classifyCallReply({ result: '0x5208' }, toQuantity)).toEqual({ kind: 'value', value: 21_000n });
    expect(classifyCallReply({ result: 'lots' }, toQuantity).kind).toBe('unknown');
    expect(classifyCallReply({ result: null }, toQuantity).kind).toBe('unknown');
    expect(classifyCallReply({ lost: 'timeout' }, toQuantity)).toEqual({ kind: 'unknown', detail: 'timeout' });
  });

  it('means the same as the error that viem throws for it, however deep', () => {
    const failure = new RpcFailure('eth_call', rpcError('execution reverted', 3, bytes));
    const outer = new BaseError('The call failed', { cause: failure });
    expect(classifyCallError(outer)).toMatchObject({ kind: 'reverted', reason: 'Error(not today)' });
    expect(classifyCallError(new RpcFailure('eth_call', { lost: 'timeout' })).kind).toBe('unknown');
    expect(classifyCallError(new Error('execution reverted')).kind).toBe('unknown');
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
