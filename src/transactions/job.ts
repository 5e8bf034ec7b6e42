import type { Hex } from 'viem';
import type { Account } from '../accounts/account.ts';
import type { Chain } from '../chains/client.ts';
import type { Services } from '../services.ts';
import type { Claim, Operation } from './operation.ts';
import type { Transaction } from './transactions.store.ts';

/** An operation under way: the order and the one transaction it has. */
export interface Job<Order> {
  readonly claim: Claim<Order>;
  readonly transaction: Transaction;
}

/** Where a batch is carried out: one operation, one wallet, one chain. */
export interface Lane<Order, Success> {
  readonly services: Services;
  readonly operation: Operation<Order, Success>;
  readonly chain: Chain;
  readonly account: Account;
}

/** A job whose bytes are stored, and so may be on their way. */
export interface SignedJob<Order> extends Job<Order> {
  readonly transaction: Transaction & { readonly nonce: number; readonly rawTransaction: Hex; readonly signedAt: Date };
}

export function isSigned<Order>(job: Job<Order>): job is SignedJob<Order> {
  const { state, nonce, rawTransaction, signedAt } = job.transaction;
  return (
    (state === 'signed' || state === 'broadcast') && nonce !== null && rawTransaction !== null && signedAt !== null
  );
}

/** What is to become of an order's wake-up call: it has done its work, or it should come again. */
export type Verdict = { readonly done: true } | { readonly done: false; readonly retryAfterSeconds: number };

export const DONE: Verdict = { done: true };

export function again(retryAfterSeconds: number): Verdict {
  return { done: false, retryAfterSeconds };
}
