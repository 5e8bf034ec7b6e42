import type { Address } from 'viem';
import { expect, it } from 'vitest';
import { callKey } from './call-key.ts';
import type { UnfinishedTransaction } from './recorded-orders.ts';
import { matchTransactions } from './match-transactions.ts';
import type { WalletTransaction } from './wallet-transactions.ts';

const WALLET: Address = '0x00000000000000000000000000000000000000aa';
const CONTRACT: Address = '0x00000000000000000000000000000000000000cc';
const ACCEPTED = new Date('2026-01-01T00:00:00Z');

/** An order that calls the contract with this data; signed if it has a nonce. */
function order(id: string, data: `0x${string}`, nonce: number | null = null): UnfinishedTransaction {
  const state = nonce === null ? 'waiting' : 'signed';
  const calls = new Set([callKey(CONTRACT, data)]);
  return {
    id,
    orderId: id,
    kind: 'mint',
    wallet: WALLET,
    state,
    version: 1,
    nonce,
    attempts: 0,
    acceptedAt: ACCEPTED,
    calls,
  };
}

function mined(nonce: number, data: `0x${string}`, fields: Partial<WalletTransaction> = {}): WalletTransaction {
  const fees = { value: 0n, gas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, raw: '0x' as const };
  return {
    wallet: WALLET,
    nonce,
    hash: `0x${nonce}`,
    blockNumber: nonce,
    minedAt: ACCEPTED,
    to: CONTRACT,
    data,
    ...fees,
    ...fields,
  };
}

function matched(...args: Parameters<typeof matchTransactions>) {
  const { matches, unknown, displaced } = matchTransactions(...args);
  return {
    matches: matches.map(({ mined: { nonce }, of, purpose }) => [nonce, of.id, purpose]),
    unknown: unknown.map(({ nonce }) => nonce),
    displaced: displaced.map(({ id }) => id),
  };
}

it('a transaction with the nonce and the call of a signed order replaced its bytes', () => {
  expect(matched([mined(5, '0x01')], [order('a', '0x01'), order('b', '0x01', 5)])).toEqual({
    matches: [[5, 'b', 'effect']],
    unknown: [],
    displaced: [],
  });
});

it('a transfer of nothing to the wallet itself cancelled the order with its nonce', () => {
  expect(matched([mined(5, '0x', { to: WALLET })], [order('a', '0x01', 5)])).toEqual({
    matches: [[5, 'a', 'cancel']],
    unknown: [],
    displaced: [],
  });
});

it('waiting orders with the same call are carried out in order of acceptance, each once', () => {
  const orders = [order('a', '0x01'), order('b', '0x02'), order('c', '0x01')];
  expect(matched([mined(5, '0x01'), mined(6, '0x01'), mined(7, '0x01')], orders)).toEqual({
    matches: [
      [5, 'a', 'effect'],
      [6, 'c', 'effect'],
    ],
    unknown: [7],
    displaced: [],
  });
});

it('an order whose nonce another transaction used may have been carried out with a later one', () => {
  expect(matched([mined(5, '0x09'), mined(6, '0x01')], [order('a', '0x01', 5)])).toEqual({
    matches: [[6, 'a', 'effect']],
    unknown: [5],
    displaced: ['a'],
  });
});

it('a transaction of another wallet, or with coins, carries out no order', () => {
  const other = { wallet: CONTRACT };
  expect(matched([mined(5, '0x01', other), mined(6, '0x01', { value: 1n })], [order('a', '0x01')])).toMatchObject({
    matches: [],
    unknown: [5, 6],
  });
});

const before = (minutes: number) => ({ minedAt: new Date(ACCEPTED.getTime() - minutes * 60_000) });

it('a transaction that was mined before an order was accepted did not carry it out, apart from what clocks differ', () => {
  const both = [mined(5, '0x01', before(60)), mined(6, '0x01', before(5))];
  expect(matched(both, [order('a', '0x01')])).toEqual({ matches: [[6, 'a', 'effect']], unknown: [5], displaced: [] });
});
