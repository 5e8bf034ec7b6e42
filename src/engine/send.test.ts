import { describe, expect, it } from 'vitest';
import { classifySendReply, combineOutcomes, type SendOutcome } from './send.ts';

const rpcError = (message: string) => ({ error: { message, code: -32_000, data: undefined } });

/** Error messages of nodes for eth_sendRawTransaction, by outcome. */
const REPLIES: Record<Exclude<SendOutcome['kind'], 'unknown' | 'full' | 'rejected'>, readonly string[]> = {
  taken: [
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

describe('an error for eth_sendRawTransaction', () => {
  it.each(Object.entries(REPLIES).flatMap(([outcome, texts]) => texts.map((text) => [text, outcome])))(
    '"%s" means %s',
    (text, outcome) => expect(classifySendReply(rpcError(text)).kind).toBe(outcome),
  );

  it.each([
    'NonceGap, Future nonce. Expected nonce: 5',
    'internal error',
    'tx fee (1.25 ether) exceeds the configured cap (1.00 ether)', // geth, coreth, Bor
  ])('"%s" means rejected, for a reason that may pass or last', (text) => {
    expect(classifySendReply(rpcError(text))).toEqual({ kind: 'rejected', reason: text });
  });

  it.each(['txpool is full', 'pending sub-pool is full'])('"%s" means full', (text) => {
    expect(classifySendReply(rpcError(text)).kind).toBe('full');
  });

  it('no reply is unknown: the bytes may have been accepted', () => {
    expect(classifySendReply({ lost: 'over the gas limit, says a gateway' }).kind).toBe('unknown');
  });
});

describe('the replies of several nodes', () => {
  const taken = { kind: 'taken' } as const;
  const refused = { kind: 'refused', reason: 'oversized data' } as const;
  const rejected = { kind: 'rejected', reason: 'internal error' } as const;
  const unknown = { kind: 'unknown' } as const;
  it.each<[string, SendOutcome[], SendOutcome]>([
    ['taken if one node has the bytes', [refused, taken, refused], taken],
    ['refused if most of those that answer refuse', [refused, unknown, refused, rejected], refused],
    ['not refused if only one of several does', [refused, rejected, rejected], rejected],
    ['not refused if half of them do', [refused, rejected], rejected],
    ['refused if the only one that answers does', [unknown, refused], refused],
    ['unknown if none answers', [unknown, unknown], unknown],
  ])('mean %s', (_, outcomes, combined) => expect(combineOutcomes(outcomes)).toEqual(combined));
});
