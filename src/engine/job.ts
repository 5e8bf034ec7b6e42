import { parseTransaction, type Hex } from 'viem';
import type { Wei } from '../chains/wei.ts';
import { traceIdOf } from '../core/trace.ts';
import { END_STATES, type TransactionState } from '../platform/database/vocabulary/order-status.ts';
import type { attempts, orders } from '../platform/database/schema.ts';
import type { Fee } from '../platform/rates/fee.ts';

import type { GasPrice } from './fees.ts';
import type { AnyOrderKind, Claim } from './order-kind.ts';
import type { OrderColumns } from './order-row.store.ts';
import type { Standing } from './standing.ts';
import { BUNDLE } from './store/bundles.ts';

/** The columns of a row of the ledger that the engine reads. Only its kind knows what the order does. */
export type TransactionRow = Omit<
  typeof orders.$inferSelect,
  keyof OrderColumns | keyof Fee | 'resource' | 'status' | 'claimedAt' | 'sentAt' | 'errorMessage' | 'completedAt'
>;
export type AttemptRow = typeof attempts.$inferSelect;

/** A transaction that its driver is working on, including the driver's own changes since it was read. */
export interface Job {
  readonly transaction: TransactionRow;
  readonly kind: AnyOrderKind;
  readonly claim: Claim<unknown>;
  /** The account's status when the lane was read. */
  readonly accountStatus: string;
  /** What the operator had paused when the job was read. */
  readonly paused: 'account' | 'chain' | null;
  /** The account's standing at the claim; null for an account without limits, and for signed transactions. */
  readonly standing: Standing | null;
  /** The job's own attempts and those of the bundle that carries it, oldest first. */
  readonly attempts: readonly AttemptRow[];
  /** Attempts of an earlier bundle that carried the job and did not execute it. */
  readonly earlier: readonly AttemptRow[];
}

/** A job that is signed, and therefore has at least one attempt with its nonce: its own, or its bundle's. */
export interface SignedJob extends Job {
  readonly transaction: TransactionRow & { readonly nonce: number };
}

/** The fields of a log line about a job. */
export function namesOf({ transaction: { orderId, corporateAccountId: accountId, trace } }: Pick<Job, 'transaction'>) {
  return { orderId, accountId, ...(trace === null ? {} : { traceId: traceIdOf(trace) }) };
}

/** Whether the job executes an order of its own; otherwise it is a bundle. */
export function isOrder({ kind }: Pick<Job, 'kind'>): boolean {
  return kind.name !== BUNDLE;
}

export function isSigned(job: Job): job is SignedJob {
  return job.transaction.state === 'signed' && job.transaction.nonce !== null;
}

/** Whether a bundle carries it: its attempts, and what becomes of its nonce, are the bundle's. */
export function isCarried({ transaction }: Pick<Job, 'transaction'>): boolean {
  return transaction.bundleId !== null;
}

/** Whether the database has it: a bundle is stored with its first attempt. */
export function isStored({ transaction }: Pick<Job, 'transaction'>): boolean {
  return transaction.version >= 0;
}

/** Whether bytes of it may be known to others. */
export function wasSigned({ attempts, earlier }: Job): boolean {
  return attempts.length > 0 || earlier.length > 0;
}

export function isWaiting({ transaction }: Pick<Job, 'transaction'>): boolean {
  return transaction.state === 'waiting';
}

const ENDS: ReadonlySet<TransactionState> = new Set(END_STATES);

export function hasEnded({ transaction }: Job): boolean {
  return ENDS.has(transaction.state);
}

/** The attempts that can still be mined: those with the transaction's current nonce. */
export function liveAttempts({ transaction, attempts: all }: Job): readonly AttemptRow[] {
  return all.filter(({ nonce }) => nonce === transaction.nonce);
}

/** An attempt's calldata, decoded from its bytes. */
export function calldataOf({ raw }: AttemptRow): Hex {
  return parseTransaction(raw).data ?? '0x';
}

/** The latest attempt with the current nonce. */
export function newestAttempt(job: Job): AttemptRow | undefined {
  return liveAttempts(job).at(-1);
}

/** The fees that an attempt offers. */
export function offerOf({ maxFeePerGas, maxPriorityFeePerGas }: AttemptRow): GasPrice {
  return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
}

/** The most that the transaction may cost; 0 if nothing is signed. */
export function maxCost(job: Job): Wei {
  const attempt = newestAttempt(job);
  return attempt === undefined ? 0n : BigInt(attempt.gas) * offerOf(attempt).maxFeePerGas;
}

/** An attempt that is about to be stored. */
export interface NewAttempt {
  readonly job: Job;
  /** The jobs that it carries, in the order of its call, if it is the first one of a bundle; otherwise none. */
  readonly carried: readonly Job[];
  /** The part of the bundle's call that executes this job; absent if the call has no other part. */
  readonly part?: { readonly place: number; readonly size: number };
  readonly nonce: number;
  readonly raw: Hex;
  readonly hash: Hex;
  readonly purpose: AttemptRow['purpose'];
  readonly gas: bigint;
  readonly offer: GasPrice;
  readonly createdAt: Date;
}
