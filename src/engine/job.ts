import { parseTransaction } from 'viem';
import type { Hex } from 'viem';
import type { TransactionState, attempts, transactions } from '../platform/database/schema.ts';
import type { AccountStanding } from './account-limits.ts';
import type { GasPrice } from './fees.ts';
import type { AnyOrderKind, Claim } from './order-kind.ts';

export type TransactionRow = typeof transactions.$inferSelect;
export type AttemptRow = typeof attempts.$inferSelect;

/** A transaction as its driver works on it: as it was read, or as this driver has changed it since. */
export interface Job {
  readonly transaction: TransactionRow;
  readonly kind: AnyOrderKind;
  readonly claim: Claim<unknown>;
  /** Of the account, as it was read. */
  readonly accountStatus: string;
  /** What the operator has paused, as it was read. */
  readonly paused: 'account' | 'chain' | null;
  /** As it was read with the claim; null for an account without limits, and for what is signed. */
  readonly standing: AccountStanding | null;
  /** Oldest first. */
  readonly attempts: readonly AttemptRow[];
}

/** A job that holds a nonce, and so has an attempt with it. */
export interface SignedJob extends Job {
  readonly transaction: TransactionRow & { readonly nonce: number };
}

export function isSigned(job: Job): job is SignedJob {
  return job.transaction.state === 'signed' && job.transaction.nonce !== null;
}

export function isWaiting(job: Job): boolean {
  return job.transaction.state === 'waiting';
}

const ENDS: ReadonlySet<TransactionState> = new Set(['confirmed', 'failed', 'cancelled']);

export function hasEnded({ transaction }: Job): boolean {
  return ENDS.has(transaction.state);
}

/** The attempts that can still be mined: those with the nonce that the transaction has now. */
export function liveAttempts({ transaction, attempts: all }: Job): readonly AttemptRow[] {
  return all.filter(({ nonce }) => nonce === transaction.nonce);
}

/**
 * What an attempt calls: from its own bytes, or where those were not kept from those of a later attempt.
 * Undefined where no bytes were kept.
 */
export function calldataOf({ attempts: all }: Job, { number, raw }: AttemptRow): Hex | undefined {
  const kept =
    raw ?? all.find((other) => other.number > number && other.purpose === 'effect' && other.raw !== null)?.raw;
  return kept === null || kept === undefined ? undefined : (parseTransaction(kept).data ?? '0x');
}

/** The attempt that was signed last, with the current nonce. */
export function newestAttempt(job: Job): AttemptRow | undefined {
  return liveAttempts(job).at(-1);
}

/** What the newest attempt offers; undefined where only its hash is known. */
export function offerOf({ maxFeePerGas, maxPriorityFeePerGas }: AttemptRow): GasPrice | undefined {
  if (maxFeePerGas === null || maxPriorityFeePerGas === null) return undefined;
  return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
}

/** Wei that the transaction may cost at most; 0 where it is not known. */
export function mostCost(job: Job): bigint {
  const attempt = newestAttempt(job);
  const offer = attempt && offerOf(attempt);
  return attempt?.gas === null || attempt?.gas === undefined || offer === undefined
    ? 0n
    : BigInt(attempt.gas) * offer.maxFeePerGas;
}

/** An attempt that is about to be stored. */
export interface NewAttempt {
  readonly job: Job;
  readonly nonce: number;
  readonly raw: Hex;
  readonly hash: Hex;
  readonly purpose: AttemptRow['purpose'];
  readonly gas: bigint;
  readonly offer: GasPrice;
  readonly createdAt: Date;
}
