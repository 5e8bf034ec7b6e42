import type { UnfinishedState } from '../core/transaction-state.ts';
import type { Job, NewAttempt } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { storeAttempts } from './store/store-attempts.ts';

/**
 * Stores attempts, all or none, and updates the lane's state. If another driver was faster or the reply is lost, the lane
 * must be read again.
 * @returns the updated jobs; none if nothing may be sent.
 */
export async function storeSigned(
  { services, lane }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  from: UnfinishedState,
  attempts: readonly NewAttempt[],
  refusal: string | null = null,
): Promise<readonly Job[]> {
  if (attempts.length === 0) return [];
  const now = new Date(services.clock.now());
  try {
    const stored = await storeAttempts(
      services.db,
      lane,
      from,
      attempts,
      state.snapshot(memory.condition),
      now,
      refusal,
    );
    if (stored === undefined) {
      services.log.warn('lane.outdated', { ...lane, step: 'store', count: attempts.length });
      state.isOutdated = true;
      return [];
    }
    for (const id of stored.endpointIds) memory.endpointsToWake.add(id);
  } catch (error) {
    services.log.error('lane.store_unknown', { ...lane, count: attempts.length, error });
    state.isOutdated = true;
    return [];
  }
  return attempts.map((attempt) => {
    const job = withAttempt(attempt, now, refusal);
    state.put(job);
    return job;
  });
}

/** The job as stored in the database with the attempt. */
function withAttempt(
  { job, nonce, raw, hash, purpose, gas, offer, createdAt }: NewAttempt,
  now: Date,
  refusal: string | null,
): Job {
  const { transaction } = job;
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
