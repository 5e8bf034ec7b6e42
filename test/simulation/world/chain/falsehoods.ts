import { keccak256, numberToHex, serializeTransaction, type Hex } from 'viem';
import type { Random } from '../random.ts';
import { transactionJson, type TransactionJson } from './rpc-json.ts';
import type { Transaction } from './transaction.ts';

// False replies, each of which its reader can recognize. A liar has no keys: a transaction whose fields it changes or
// makes up carries no signature of the wallet. It may show what was signed in a wrong block.

/**
 * How the transactions in a block's body are false: their hashes, other fields, one that was never signed, or one that
 * is not in the block.
 */
export const BODY_LIES = ['hashes', 'fields', 'invented', 'misplaced'] as const;
export type BodyLie = (typeof BODY_LIES)[number];

/** Full transactions, as opposed to their hashes. */
interface Body {
  readonly number: Hex;
  readonly hash: Hex;
  readonly transactions: readonly TransactionJson[];
}

/** Whether a result is a block with its transactions in full. */
export function isBody(result: unknown): result is Body {
  if (typeof result !== 'object' || result === null || !('transactions' in result)) return false;
  const { transactions } = result;
  return Array.isArray(transactions) && transactions.every((one) => typeof one === 'object');
}

/**
 * Falsifies the transactions of a block.
 * @param signed What may be shown in a block that does not have it: what the product has sent and, if other providers
 *   contradict this one, what was signed with the key of a wallet and never sent. A single provider that shows such
 *   bytes in a final block is believed by design, because nothing but the block's root of transactions, which no reader
 *   has the means to check, says otherwise.
 */
export function withFalseBody(body: Body, lie: BodyLie, signed: readonly Transaction[], random: Random): object {
  const { transactions } = body;
  if (lie === 'hashes') return { ...body, transactions: transactions.map((one) => withFalseHash(one, random)) };
  if (lie === 'fields') return { ...body, transactions: transactions.map((one) => withFalseField(one, random)) };
  const model = random.pickAny(signed);
  if (model === undefined) return body;
  const added = lie === 'invented' ? inventedLike(model, random) : transactionJson(model, undefined);
  const place = {
    blockHash: body.hash,
    blockNumber: body.number,
    transactionIndex: numberToHex(transactions.length),
  };
  // In place of the others in half of the cases: the nonce then has one user.
  return { ...body, transactions: [...(random.chance(0.5) ? transactions : []), { ...added, ...place }] };
}

function withFalseHash(transaction: TransactionJson, random: Random): TransactionJson {
  return { ...transaction, hash: withOtherDigit(transaction.hash, random) };
}

function withFalseField(transaction: TransactionJson, random: Random): TransactionJson {
  const field = random.pick(['nonce', 'from', 'to', 'input', 'value'] as const);
  const value = transaction[field];
  if (value === null || value === '0x') return withFalseHash(transaction, random);
  const changed =
    field === 'nonce' || field === 'value'
      ? numberToHex(BigInt(value) + BigInt(random.whole(1, 3)))
      : withOtherDigit(value, random);
  return { ...transaction, [field]: changed };
}

/**
 * A transaction of the same wallet with the same nonce, and a made-up signature; its hash follows from its fields in
 * half of the cases.
 */
function inventedLike(model: Transaction, random: Random): TransactionJson {
  const { chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, value } = model;
  const to = random.hex(20);
  const fields = { type: 'eip1559', chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, value, to } as const;
  // Below half of the order of the curve, as signatures have to be.
  const [r, s] = [BigInt(random.hex(31)), BigInt(random.hex(31))];
  const yParity = random.whole(0, 1);
  const signature = { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }), yParity };
  const hash = random.chance(0.5) ? random.hex(32) : keccak256(serializeTransaction(fields, signature));
  return transactionJson({ ...model, to, data: '0x', hash, r, s, yParity }, undefined);
}

function withOtherDigit(hex: Hex, random: Random): Hex {
  const place = random.whole(2, hex.length - 1);
  const digit = (Number.parseInt(hex.charAt(place), 16) + random.whole(1, 15)) % 16;
  return `0x${hex.slice(2, place)}${digit.toString(16)}${hex.slice(place + 1)}`;
}

/** The same value with the hex digits in capitals, or some of them. */
export function inCapitals(value: unknown, random: Random, areMixed: boolean): unknown {
  if (typeof value === 'string') {
    if (!/^0x[0-9a-f]+$/i.test(value)) return value;
    if (!areMixed) return `0x${value.slice(2).toUpperCase()}`;
    return `0x${value.slice(2).replaceAll(/[a-f]/g, (digit) => (random.chance(0.5) ? digit.toUpperCase() : digit))}`;
  }
  if (Array.isArray(value)) return value.map((item: unknown) => inCapitals(item, random, areMixed));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, inCapitals(item, random, areMixed)] as const),
  );
}

/** By how much a false height is above the real one: within what a chain grows in hours, or beyond any. */
export function absurdRise(random: Random): number {
  return random.chance(0.5) ? random.whole(5, 5_000) : Math.floor(random.span(1e9, 2 ** 53));
}
