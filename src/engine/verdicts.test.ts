import { describe, expect, it } from 'vitest';
import { toQuantity } from './chain-head.ts';
import { callVerdict, sendVerdict } from './verdicts.ts';

const fault = (message: string, code: number | undefined = -32_000, data?: `0x${string}`) => ({
  fault: { message, code, data },
});

describe('what a node says of signed bytes', () => {
  it.each([
    ['already known', 'taken'],
    ['ALREADY_EXISTS: already known', 'taken'],
    ['nonce too low: next nonce 5, tx nonce 4', 'nonce-too-low'],
    ['replacement transaction underpriced', 'underpriced'],
    ['transaction underpriced: tip needed 1, tip permitted 0', 'underpriced'],
    ['max fee per gas less than block base fee: address 0x, maxFeePerGas: 1, baseFee: 2', 'underpriced'],
    ['insufficient funds for gas * price + value: balance 0', 'no-funds'],
    ['txpool is full', 'full'],
    ['exceeds block gas limit', 'refused'],
    ['intrinsic gas too low: gas 0, minimum needed 21000', 'refused'],
    ['oversized data: transaction size 200000, limit 131072', 'refused'],
    ['max initcode size exceeded: code size 60000 limit 49152', 'refused'],
    ['something new', 'unknown'],
  ])('%s', (message, kind) => {
    expect(sendVerdict(fault(message)).kind).toBe(kind);
  });

  it('is that they were taken, where it gives a hash; and that nobody knows, where there is no answer', () => {
    expect(sendVerdict({ result: '0xab' }).kind).toBe('taken');
    expect(sendVerdict({ lost: 'timeout' }).kind).toBe('unknown');
  });
});

describe('what a node says to an estimate', () => {
  it.each([
    ['execution reverted', 3, '0x', 'reverted'],
    ['execution reverted: not the owner', -32_000, undefined, 'reverted'],
    ['gas required exceeds allowance (50000000)', -32_000, undefined, 'reverted'],
    ['out of gas', -32_000, undefined, 'reverted'],
    ['header not found', -32_000, undefined, 'unknown'],
    ['BlockOutOfRangeError: block height is 5 but requested was 9', -32_602, undefined, 'unknown'],
    ['missing trie node 12ab', -32_000, undefined, 'unknown'],
    ['insufficient funds for transfer', -32_000, undefined, 'unknown'],
    ['internal error', -32_603, undefined, 'unknown'],
  ] as const)('%s', (message, code, data, kind) => {
    expect(callVerdict(fault(message, code, data), toQuantity).kind).toBe(kind);
  });

  it('is its gas where it makes sense, and nothing where it does not', () => {
    expect(callVerdict({ result: '0x5208' }, toQuantity)).toEqual({ kind: 'value', value: 21_000n });
    expect(callVerdict({ result: 'lots' }, toQuantity).kind).toBe('unknown');
    expect(callVerdict({ result: null }, toQuantity).kind).toBe('unknown');
    expect(callVerdict({ lost: 'timeout' }, toQuantity).kind).toBe('unknown');
  });
});
