import type { Address, Hex } from 'viem';
import { describe, expect, it } from 'vitest';
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
    isCarried: false,
    acceptedAt: ACCEPTED,
    calls,
    carried: [],
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

/** A bundle's call is that of several orders, each of one byte, after 0xbb; its receipt lacks those above 0x7f. */
function partsOf({ data }: WalletTransaction): { data: Hex; isDone: boolean }[] {
  const bytes = data.startsWith('0xbb') ? [...data.slice(4).matchAll(/../g)] : [];
  return bytes.map(([byte]) => ({ data: `0x${byte}`, isDone: Number.parseInt(byte, 16) < 0x80 }));
}

function matched(
  all: readonly WalletTransaction[],
  unfinished: readonly UnfinishedTransaction[],
  known: readonly Hex[] = [],
) {
  const { matches, unknown, displaced } = matchTransactions({ mined: all, known: new Set(known), partsOf }, unfinished);
  return {
    matches: matches.map(({ mined: { nonce }, of, purpose, part }) => [
      nonce,
      of.id,
      purpose,
      ...(part === undefined ? [] : [`${part.place} of ${part.size}`]),
    ]),
    unknown: unknown.map(({ mined: { nonce } }) => nonce),
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

it('a transaction that made the calls of several orders carried out each of them', () => {
  const orders = [order('a', '0x01'), order('b', '0x02'), order('c', '0x03')];
  expect(matched([mined(5, '0xbb0302ff04')], orders)).toEqual({
    matches: [
      [5, 'c', 'effect', '0 of 4'],
      [5, 'b', 'effect', '1 of 4'],
    ],
    unknown: [5],
    displaced: [],
  });
});

it('what a bundle carries that has lost its nonce may have been carried out by another one', () => {
  const carried = [order('a', '0x01', 5), order('b', '0x02', 5)].map((of) => ({ ...of, isCarried: true }));
  const bundle = { ...order('bundle', '0xbb0102', 5), kind: 'bundle', carried };
  expect(matched([mined(5, '0x99'), mined(6, '0xbb0102')], [bundle])).toEqual({
    matches: [
      [6, 'a', 'effect', '0 of 2'],
      [6, 'b', 'effect', '1 of 2'],
    ],
    unknown: [5],
    displaced: ['bundle'],
  });
});

it('what a lost bundle has carried out with the nonce of another is not carried out again', () => {
  const carried = [order('a', '0x01', 5), order('b', '0x02', 5)].map((of) => ({ ...of, isCarried: true }));
  const bundle = { ...order('bundle', '0xbb0102', 5), kind: 'bundle', carried };
  expect(matched([mined(5, '0xbb0103'), mined(6, '0x07')], [bundle, order('w', '0x07')])).toEqual({
    matches: [
      [5, 'a', 'effect', '0 of 2'],
      [6, 'w', 'effect'],
    ],
    unknown: [5],
    displaced: ['bundle'],
  });
});

it('a bundle whose bytes were replaced keeps what it carries', () => {
  const bundle = {
    ...order('bundle', '0xbb0102', 5),
    kind: 'bundle',
    carried: [{ ...order('a', '0x01', 5), isCarried: true }],
  };
  expect(matched([mined(5, '0xbb0102')], [bundle])).toEqual({
    matches: [[5, 'bundle', 'effect']],
    unknown: [],
    displaced: [],
  });
});

it('what a bundle left out may have been carried out by a later transaction, whatever the backup has of the bundle', () => {
  const leftOut = { ...order('a', '0xf1', 5), isCarried: true };
  const bundle = { ...order('bundle', '0xbbf102', 5), kind: 'bundle', carried: [leftOut] };
  const all = [mined(5, '0xbbf102'), mined(6, '0xf1')];
  const alone = [6, 'a', 'effect'];
  const ofBackup = (unfinished: readonly UnfinishedTransaction[], known: readonly Hex[] = []) =>
    matched(all, unfinished, known).matches;
  expect(ofBackup([order('a', '0xf1')])).toEqual([alone]);
  expect(ofBackup([bundle])).toEqual([[5, 'bundle', 'effect'], alone]);
  expect(ofBackup([bundle], ['0x5'])).toEqual([alone]);
  expect(ofBackup([leftOut], ['0x5'])).toEqual([alone]);
});

it('what a bundle has carried out is not carried out again by an equal call of an order that the backup lacks', () => {
  const done = { ...order('a', '0x01', 5), isCarried: true };
  const bundle = { ...order('bundle', '0xbb0102', 5), kind: 'bundle', carried: [done] };
  expect(matched([mined(5, '0xbb0102'), mined(6, '0x01')], [bundle], ['0x5'])).toEqual({
    matches: [],
    unknown: [6],
    displaced: [],
  });
});

/** A call that has a receiver as its first argument. */
const mint = (receiver: string, tokenId = '1'): Hex =>
  `0x01020304${receiver.padStart(64, '0')}${tokenId.padStart(64, '0')}`;

const receiversOf = (all: readonly WalletTransaction[], unfinished: readonly UnfinishedTransaction[]) => {
  const { matches, unknown } = matchTransactions({ mined: all, known: new Set(), partsOf }, unfinished);
  return [...matches.map(({ of, receiver }) => [of.id, receiver?.toLowerCase()]), ...unknown.map(() => 'unknown')];
};

describe('a mint that names a receiver', () => {
  const holder = 'ab'.repeat(20);

  it('carried out the claim whose receiver was not named', () => {
    expect(receiversOf([mined(5, mint(holder))], [order('a', mint('', '2')), order('b', mint(''))])).toEqual([
      ['b', `0x${holder}`],
    ]);
  });

  it('carried out the order that names the same, rather than a claim', () => {
    const unfinished = [order('a', mint('')), order('b', mint(holder))];
    expect(receiversOf([mined(5, mint(holder))], unfinished)).toEqual([['b', undefined]]);
  });

  it('carried out one claim alone', () => {
    expect(receiversOf([mined(5, mint(holder)), mined(6, mint('cd'.repeat(20)))], [order('a', mint(''))])).toEqual([
      ['a', `0x${holder}`],
      'unknown',
    ]);
  });
});

it('a notification of a token did not carry out one of token 0, which looks like a mint without a receiver', () => {
  const { matches, unknown } = matchTransactions({ mined: [mined(5, mint('7'))], known: new Set(), partsOf }, [
    { ...order('a', mint('')), kind: 'notification' },
  ]);
  expect([matches.length, unknown.length]).toEqual([0, 1]);
});
