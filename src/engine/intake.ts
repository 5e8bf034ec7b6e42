import type { ChainHead } from './chain-head.ts';
import { endWithoutReceipt, endByReceipt, shownBy } from './examine-receipt.ts';
import { freeNonces } from './free-nonces.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { GOOD } from './lane-state.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { prepare } from './prepare.ts';
import type { Prepared, Refusal } from './prepare.ts';
import { findReceipts } from './receipts.ts';
import { noteQueued } from './send.ts';
import { settle } from './settle.ts';
import type { End } from './settle.ts';
import { signFirst } from './sign.ts';
import { giveBack, holdLane, holdTransactions } from './store/waiting.ts';
import type { Hold } from './store/waiting.ts';
import { readLane } from './store/read-lane.ts';
import type { LaneQuery, LaneReading } from './store/read-lane.ts';
import { storeSigned } from './store-signed.ts';

/** Transactions that are prepared, signed and stored together. */
export const CHUNK = 100;

/** Claims the next chunk. */
export async function claimChunk(
  { services, kinds, lane, chain }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  { batchId, underWay, most }: Pick<LaneQuery, 'batchId' | 'underWay' | 'most'>,
): Promise<LaneReading> {
  const now = new Date(services.clock.now());
  return await readLane(services.db, kinds, lane, {
    batchId,
    underWay,
    most,
    window: state.window.size,
    startWindow: chain.window.start,
    reserved: state.reserved.nonces,
    whole: false,
    note: state.note(memory.condition),
    now,
  });
}

/** A chunk, ready to be stored; the nonces and the wei that it will take are reserved. */
export interface Chunk {
  /** Of its claim. */
  readonly batchId: string;
  readonly prepared: Prepared;
  readonly head: ChainHead;
  readonly reserved: { readonly nonces: number; readonly wei: bigint };
}

export async function prepareChunk(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  batchId: string,
  jobs: readonly Job[],
  head: ChainHead,
): Promise<Chunk> {
  const prepared = await prepare(context, memory, jobs, head, state.committed);
  const price = prepared.offer?.maxFeePerGas ?? 0n;
  const wei = prepared.ready.reduce((sum, { gas }) => sum + gas * price, 0n);
  const reserved = { nonces: prepared.ready.length, wei };
  state.reserved = { nonces: state.reserved.nonces + reserved.nonces, wei: state.reserved.wei + wei };
  return { batchId, prepared, head, reserved };
}

/**
 * Ends, holds, or signs and stores each job of a chunk.
 * @param dispatch Is handed what is stored and may leave.
 * @returns when the first of those that are held is due, in milliseconds since the epoch; null when none is held.
 */
export async function carryOut(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  chunk: Chunk,
  dispatch: (stored: readonly Job[]) => void,
): Promise<number | null> {
  const { prepared, head, reserved } = chunk;
  const { services, lane } = context;
  if (prepared.ready.length > 0 && memory.condition.state !== 'stuck') memory.condition = GOOD;
  try {
    if (prepared.ready.length > 0 && prepared.offer !== undefined && !state.isOutdated) {
      const first = Math.max(state.lowestNonce, head.count);
      const nonces = freeNonces(first, state.held, prepared.ready.length);
      const createdAt = new Date(services.clock.now());
      const signed = await signFirst(lane.chainId, prepared.ready, nonces, prepared.offer, createdAt);
      const stored = await storeSigned(context, state, memory, 'waiting', signed);
      noteQueued(context, state, memory, stored);
      dispatch(stored);
    }
    // Whatever of it is not signed by now is due again: another try reads it anew.
    if (state.isOutdated)
      await giveBack(
        services.db,
        prepared.ready.map(({ job }) => job),
        new Date(services.clock.now()),
      );
  } finally {
    state.reserved = { nonces: state.reserved.nonces - reserved.nonces, wei: state.reserved.wei - reserved.wei };
  }
  const unclear = await endRefused(context, state, memory, prepared.refused, head);
  return await hold(context, memory, prepared, unclear);
}

/** @returns those that cannot end now: whether a stranger has brought about what they ask for is not known yet. */
async function endRefused(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  refused: readonly Refusal[],
  head: ChainHead,
): Promise<readonly Refusal[]> {
  if (refused.length === 0) return [];
  // Their attempts, if there are any, are proven lost; should one be mined all the same, it decides.
  const tried = refused.filter(({ job }) => job.attempts.length > 0).map(({ job }) => job);
  const found = tried.length === 0 ? new Map() : await findReceipts(context.chain.rpc, tried, head);
  const ends = await Promise.all(
    refused.map(async (refusal): Promise<End | undefined> => {
      const own = found.get(refusal.job);
      try {
        return own === undefined
          ? await endWithoutReceipt(context, refusal, head)
          : await endByReceipt(context, own, shownBy(own), head);
      } catch (error) {
        // One order that cannot be read is no other's.
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
  return refused.filter((_, index) => ends[index] === undefined);
}

async function hold(
  { services, lane }: LaneContext,
  memory: LaneMemory,
  { held, laneHold }: Prepared,
  unclear: readonly Refusal[],
): Promise<number | null> {
  const now = new Date(services.clock.now());
  const later = new Date(now.getTime() + 2_000);
  const holds: Hold[] = [
    ...held,
    ...unclear.map(({ job, reason }) => ({ job, reason: 'not-now' as const, detail: reason, nextTryAt: later })),
  ].map((each) => ({ ...each, detail: services.redact(each.detail) }));
  const deliveryIds = await holdTransactions(services.db, holds, now);
  for (const { job, reason, detail } of holds) {
    services.log.warn('order.held', { orderId: job.claim.orderId, accountId: job.claim.account.id, reason, detail });
  }
  if (laneHold !== undefined) {
    const { reason, detail, nextTryAt, job } = laneHold;
    deliveryIds.push(...(await holdLane(services.db, lane, { reason, detail, nextTryAt }, now)));
    const condition = reason === 'funds' ? 'empty' : 'fee-capped';
    memory.condition = { state: condition, orderId: job.claim.orderId, reason: detail };
  }
  for (const id of deliveryIds) memory.unsentDeliveries.add(id);
  return holds.length === 0 ? null : Math.min(...holds.map(({ nextTryAt }) => nextTryAt.getTime()));
}
