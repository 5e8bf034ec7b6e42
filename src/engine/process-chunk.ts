import type { ChainHead } from './chain-head.ts';
import { endWithoutReceipt, endByReceipt, interpretReceipt } from './examine-receipt.ts';
import { freeNonces } from './free-nonces.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { HEALTHY } from './lane-state.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { prepare } from './prepare.ts';
import type { Prepared, Refusal } from './prepare.ts';
import { findReceipts } from './receipts.ts';
import { markQueued } from './send.ts';
import { settle } from './settle.ts';
import type { End } from './settle.ts';
import { signFirst } from './sign.ts';
import { releaseClaims, holdLane, holdTransactions } from './store/waiting.ts';
import type { Hold } from './store/waiting.ts';
import { readLane } from './store/read-lane.ts';
import type { LaneQuery, LaneReading } from './store/read-lane.ts';
import { storeSigned } from './store-signed.ts';

/** The number of transactions that are prepared, signed and stored together. */
export const CHUNK = 100;

/** The delay before an order that cannot end yet is tried again. */
const UNDECIDED_RETRY_MS = 2_000;

/** Claims the next chunk. */
export async function claimChunk(
  { services, kinds, lane, chain }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  { batchId, underWay, limit }: Pick<LaneQuery, 'batchId' | 'underWay' | 'limit'>,
): Promise<LaneReading> {
  const now = new Date(services.clock.now());
  return await readLane(services.db, kinds, lane, {
    batchId,
    underWay,
    limit,
    window: state.capacity,
    startWindow: chain.window.start,
    mined: state.head?.count ?? 0,
    reserved: state.reserved.nonces,
    includeInFlight: false,
    snapshot: state.snapshot(memory.condition),
    now,
  });
}

/** A prepared chunk; the nonces and wei that it needs are reserved. */
export interface Chunk {
  /** The batch id of its claim. */
  readonly batchId: string;
  readonly prepared: Prepared;
  readonly head: ChainHead;
  readonly reserved: { readonly nonces: number; readonly wei: bigint };
}

export async function prepareChunk(
  context: LaneContext,
  state: LaneState,
  batchId: string,
  jobs: readonly Job[],
  head: ChainHead,
): Promise<Chunk> {
  const prepared = await prepare(context, jobs, head, state.committed(head.count));
  const wei = prepared.ready.reduce((sum, { gas, offer }) => sum + gas * offer.maxFeePerGas, 0n);
  const reserved = { nonces: prepared.ready.length, wei };
  state.reserved = { nonces: state.reserved.nonces + reserved.nonces, wei: state.reserved.wei + wei };
  return { batchId, prepared, head, reserved };
}

/**
 * Ends, holds, or signs and stores each job of a chunk.
 * @param dispatch Receives the stored jobs, which may now be sent.
 * @returns when the first held job is due, in milliseconds since the epoch; null if none is held.
 */
export async function processChunk(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  chunk: Chunk,
  dispatch: (stored: readonly Job[]) => void,
): Promise<number | null> {
  const { prepared, head, reserved } = chunk;
  const { services, lane } = context;
  if (prepared.ready.length > 0 && memory.condition.state !== 'stuck') memory.condition = HEALTHY;
  try {
    if (prepared.ready.length > 0 && !state.isOutdated) {
      const first = Math.max(state.lowestNonce, head.count);
      const nonces = freeNonces(first, state.held, prepared.ready.length);
      const createdAt = new Date(services.clock.now());
      const signed = await signFirst(lane.chainId, prepared.ready, nonces, createdAt);
      const stored = await storeSigned(context, state, memory, 'waiting', signed);
      markQueued(context, state, memory, stored);
      dispatch(stored);
    }
    // Jobs that are not signed yet are due again at once.
    if (state.isOutdated)
      await releaseClaims(
        services.db,
        prepared.ready.map(({ job }) => job),
        new Date(services.clock.now()),
      );
  } finally {
    state.reserved = { nonces: state.reserved.nonces - reserved.nonces, wei: state.reserved.wei - reserved.wei };
  }
  const undecided = await endRefused(context, state, memory, prepared.refused, head);
  return await hold(context, memory, prepared, undecided);
}

/** @returns those that cannot end yet: a third party's transaction may have had their effect, or their end could not be written. */
async function endRefused(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  refused: readonly Refusal[],
  head: ChainHead,
): Promise<readonly Refusal[]> {
  if (refused.length === 0) return [];
  // Any earlier attempts are proven lost; if one is mined after all, its receipt decides.
  const attempted = refused.filter(({ job }) => job.attempts.length > 0).map(({ job }) => job);
  const found = attempted.length === 0 ? new Map() : await findReceipts(context.chain, attempted, head);
  const ends = await Promise.all(
    refused.map(async (refusal): Promise<End | undefined> => {
      const own = found.get(refusal.job);
      try {
        return own === undefined
          ? await endWithoutReceipt(context, refusal, head)
          : await endByReceipt(context, own, interpretReceipt(own), head);
      } catch (error) {
        // An order that cannot be read must not affect the others.
        context.services.log.error('order.not_read', { orderId: refusal.job.claim.orderId, error });
        return undefined;
      }
    }),
  );
  await settle(
    context,
    state,
    memory,
    ends.filter((end) => end !== undefined),
  );
  return refused.filter(({ job }, index) => ends[index] === undefined || memory.settleRetryAt.has(job.transaction.id));
}

async function hold(
  { services, lane }: LaneContext,
  memory: LaneMemory,
  { held, laneHold }: Prepared,
  undecided: readonly Refusal[],
): Promise<number | null> {
  const now = new Date(services.clock.now());
  const retryAt = ({ transaction: { id } }: Job) =>
    new Date(Math.max(now.getTime() + UNDECIDED_RETRY_MS, memory.settleRetryAt.get(id) ?? 0));
  const holds: Hold[] = [
    ...held,
    ...undecided.map(({ job, reason }) => ({
      job,
      reason: 'not-now' as const,
      detail: reason,
      nextTryAt: retryAt(job),
    })),
  ].map((each) => ({ ...each, detail: services.redact(each.detail) }));
  const endpointIds = await holdTransactions(services.db, holds, now);
  for (const { job, reason, detail } of holds) {
    services.log.warn('order.held', { orderId: job.claim.orderId, accountId: job.claim.account.id, reason, detail });
  }
  if (laneHold !== undefined) {
    const { reason, detail, nextTryAt, job } = laneHold;
    endpointIds.push(...(await holdLane(services.db, lane, { reason, detail, nextTryAt }, now)));
    const condition = reason === 'funds' ? 'empty' : 'fee-capped';
    memory.condition = { state: condition, orderId: job.claim.orderId, reason: detail };
  }
  for (const id of endpointIds) memory.endpointsToWake.add(id);
  return holds.length === 0 ? null : Math.min(...holds.map(({ nextTryAt }) => nextTryAt.getTime()));
}
