import { keccak256, type Address, type Hex } from 'viem';
import type { Signer } from './signer.ts';
import type { GasPrice } from './fees.ts';
import type { Job, NewAttempt } from './job.ts';
import { bundleJob } from './bundles.ts';
import { NotNow } from './order-kind.ts';
import type { ReadyTransaction } from './prepare.ts';
import { sleep } from './signal.ts';
import type { UnfinishedState } from '../platform/database/vocabulary/order-status.ts';
import { isReplyLost } from '../platform/database/errors.ts';
import type { Driver } from './driver.ts';
import { isFencedOff } from './store/fence.ts';
import { storeAttempts, type Stored } from './store/store-attempts.ts';

/**
 * Signed at the same time: the keys of some wallets are far away. Others take half a millisecond each, without a yield.
 */
const SIGNED_AT_ONCE = 20;

interface Signing {
  readonly job: Job;
  readonly carried?: readonly Job[];
  readonly signer: Signer;
  readonly purpose: NewAttempt['purpose'];
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly nonce: number;
  readonly offer: GasPrice;
}

/** The first attempts that could be signed, and what kept others from it. */
export interface Signed {
  readonly attempts: readonly NewAttempt[];
  /** Jobs without a signature now. */
  readonly failed: readonly { readonly job: Job; readonly error: NotNow }[];
}

/**
 * Signs first attempts, each with its nonce. Sends nothing. Attempts behind one without a signature are left out,
 * because their nonces could not be mined.
 */
export async function signFirst(
  chainId: string,
  ready: readonly ReadyTransaction[],
  nonces: readonly number[],
  createdAt: Date,
): Promise<Signed> {
  const attempts: NewAttempt[] = [];
  const count = Math.min(ready.length, nonces.length);
  for (let from = 0; from < count; from += SIGNED_AT_ONCE) {
    if (from > 0) await sleep(0);
    const part = ready.slice(from, Math.min(count, from + SIGNED_AT_ONCE));
    const signed = await Promise.all(
      part.map(async (transaction, index) => {
        try {
          return await signOne(chainId, transaction, nonces[from + index] ?? 0, createdAt);
        } catch (error) {
          if (!(error instanceof NotNow)) throw error;
          return transaction.jobs.map((job) => ({ job, error }));
        }
      }),
    );
    const failed = signed.flatMap((result) => ('nonce' in result ? [] : result));
    const first = signed.findIndex((result) => !('nonce' in result));
    attempts.push(...signed.slice(0, first === -1 ? undefined : first).filter((result) => 'nonce' in result));
    if (failed.length > 0) return { attempts, failed };
  }
  return { attempts, failed: [] };
}

async function signOne(
  chainId: string,
  { jobs, isBundle, call: { to, data }, gas, signer, offer }: ReadyTransaction,
  nonce: number,
  createdAt: Date,
): Promise<NewAttempt> {
  const job = isBundle ? bundleJob(jobs, createdAt) : jobs[0];
  if (job === undefined) throw new Error('A transaction carries no order');
  const carried = isBundle ? jobs : [];
  return await sign(chainId, { job, carried, signer, purpose: 'effect', to, data, gas, nonce, offer }, createdAt);
}

/** @throws {NotNow} as {@link laneSigner}. */
export async function sign(
  chainId: string,
  { job, carried = [], signer, purpose, to, data, gas, nonce, offer }: Signing,
  createdAt: Date,
): Promise<NewAttempt> {
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId: Number(chainId),
    nonce,
    to,
    data,
    gas,
    value: 0n,
    ...offer,
  });
  return { job, carried, nonce, raw, hash: keccak256(raw), purpose, gas, offer, createdAt };
}

/** After so many chunks in a row that could not be stored, a chunk has a single order. */
const MAX_UNDONE = 7;

/**
 * Stores attempts, all or none, and updates the lane's state. If another driver was faster or the reply is lost, the
 * lane must be read again. If the database refuses them, each is stored by itself.
 * @returns the updated jobs; none if nothing may be sent.
 */
export async function storeSigned(
  driver: Driver,
  from: UnfinishedState,
  attempts: readonly NewAttempt[],
  refusal: string | null = null,
): Promise<readonly Job[]> {
  if (attempts.length === 0) return [];
  const { services, lane } = driver;
  const now = new Date(services.clock.now());
  const head = driver.head?.number ?? 0;
  let stored: Stored | undefined;
  if (from === 'waiting') driver.memory.keepPlace();
  try {
    stored = await storeAttempts(services, lane, from, attempts, head, driver.snapshot, now, refusal);
  } catch (error) {
    if (isFencedOff(error)) throw error;
    services.log.error('lane.store_failed', { ...lane, count: attempts.length, error });
    const isUnknown = isReplyLost(error);
    // One order of a bundle may be what prevents the write.
    const refused = isUnknown || attempts.length > 1 ? [] : attempts.flatMap(({ carried }) => carried);
    for (const { transaction } of refused) driver.memory.setApart(transaction.id);
    if (isUnknown) driver.markOutdated();
    if (isUnknown || attempts.length === 1) return [];
    // One row prevents the write: the others are stored individually.
    const each: Job[] = [];
    for (const attempt of attempts) {
      if (!driver.isOutdated) each.push(...(await storeSigned(driver, from, [attempt], refusal)));
    }
    if (each.length === 0) driver.markOutdated();
    return each;
  }
  if (stored === undefined) {
    services.log.warn('lane.outdated', { ...lane, step: 'store', count: attempts.length });
    if (from === 'waiting') driver.memory.undone = Math.min(MAX_UNDONE, driver.memory.undone + 1);
    driver.markOutdated();
    return [];
  }
  if (from === 'waiting') driver.memory.undone = Math.max(0, driver.memory.undone - 1);
  driver.memory.recordSigned(stored.signedAt);
  driver.memory.wakeLater(stored.receivers);
  return attempts.map((attempt) => {
    const job = withAttempt(attempt, head, now, refusal);
    for (const one of driver.carriedBy(job.transaction.id)) {
      driver.put({ ...one, attempts: [...one.attempts, ...job.attempts.slice(-1)] });
    }
    driver.put(job);
    for (const [bundlePlace, one] of attempt.carried.entries()) {
      const { transaction, ...rest } = withAttempt({ ...attempt, job: one }, head, now, refusal);
      const bundle = { bundleId: job.transaction.id, bundlePlace, bundleSize: attempt.carried.length };
      const own = [...one.attempts, ...job.attempts];
      driver.put({ ...rest, attempts: own, transaction: { ...transaction, ...bundle } });
    }
    return job;
  });
}

/** The job as stored in the database with the attempt. */
function withAttempt(
  { job, nonce, raw, hash, purpose, gas, offer, createdAt }: NewAttempt,
  head: number,
  now: Date,
  refusal: string | null,
): Job {
  const { transaction } = job;
  const { state, notBeforeBlock } = transaction;
  return {
    ...job,
    transaction: {
      ...transaction,
      state: 'signed',
      nonce,
      version: transaction.version + 1,
      tries: 0,
      holdReason: null,
      holdDetail: null,
      heldSince: null,
      notBeforeBlock: state === 'signed' || notBeforeBlock === null ? notBeforeBlock : Math.min(notBeforeBlock, head),
      refusal: refusal ?? transaction.refusal,
      updatedAt: now,
    },
    attempts: [
      ...job.attempts,
      {
        transactionId: transaction.id,
        number: job.attempts.length + 1,
        nonce,
        hash,
        raw,
        purpose,
        gas: Number(gas),
        maxFeePerGas: offer.maxFeePerGas.toString(),
        maxPriorityFeePerGas: offer.maxPriorityFeePerGas.toString(),
        createdAt,
      },
    ],
  };
}
