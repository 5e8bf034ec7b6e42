import { keccak256, type Address, type Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { GasPrice } from './fees.ts';
import type { Job, NewAttempt } from './job.ts';
import { bundleJob } from './bundles.ts';
import type { ReadyTransaction } from './prepare.ts';
import { sleep } from './signal.ts';
import type { UnfinishedState } from '../core/order-status.ts';
import { isReplyLost } from '../platform/database/errors.ts';
import type { Driver } from './driver.ts';
import { isFencedOff } from './store/fence.ts';
import { storeAttempts } from './store/store-attempts.ts';

/** Signatures between yields to the event loop; each blocks it for about half a millisecond. */
const SIGNATURES_PER_YIELD = 20;

/** The transaction to sign for a job. */
interface Signing {
  readonly job: Job;
  readonly carried?: readonly Job[];
  readonly signer: PrivateKeyAccount;
  readonly purpose: NewAttempt['purpose'];
  readonly to: Address;
  readonly data: Hex;
  readonly gas: bigint;
  readonly nonce: number;
  readonly offer: GasPrice;
}

/** Signs first attempts, each with its nonce. Sends nothing. */
export async function signFirst(
  chainId: string,
  ready: readonly ReadyTransaction[],
  nonces: readonly number[],
  createdAt: Date,
): Promise<NewAttempt[]> {
  const signed: NewAttempt[] = [];
  for (const [index, { jobs, isBundle, call, gas, signer, offer }] of ready.entries()) {
    const nonce = nonces[index];
    const job = isBundle ? bundleJob(jobs, createdAt) : jobs[0];
    if (nonce === undefined || job === undefined) break;
    if (index % SIGNATURES_PER_YIELD === SIGNATURES_PER_YIELD - 1) await sleep(0);
    const { to, data } = call;
    const carried = isBundle ? jobs : [];
    signed.push(
      await sign(chainId, { job, carried, signer, purpose: 'effect', to, data, gas, nonce, offer }, createdAt),
    );
  }
  return signed;
}

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
  try {
    const stored = await storeAttempts(services.db, lane, from, attempts, head, driver.snapshot, now, refusal);
    if (stored === undefined) {
      services.log.warn('lane.outdated', { ...lane, step: 'store', count: attempts.length });
      driver.markOutdated();
      return [];
    }
    driver.memory.wakeLater(stored.endpointIds);
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
    const stored: Job[] = [];
    for (const attempt of attempts) {
      if (!driver.isOutdated) stored.push(...(await storeSigned(driver, from, [attempt], refusal)));
    }
    if (stored.length === 0) driver.markOutdated();
    return stored;
  }
  return attempts.map((attempt) => {
    const job = withAttempt(attempt, head, now, refusal);
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
