import type { EpochMs } from '../core/epoch-ms.ts';
import { lackingBlock } from './evidence.ts';
import type { ChainHead } from './chain-head.ts';
import { endByReceipt, endWithoutReceipt, findReceipts, type FoundReceipt } from './receipts.ts';
import type { Driver } from './driver.ts';
import type { LaneMemory } from './lane-memory.ts';
import { namesOf, wasSigned, type Job, type NewAttempt } from './job.ts';
import { deepForMost, tryInterpret } from './agreed-receipts.ts';
import { Decisions, type Refusal } from './decisions.ts';
import { prepare, type Prepared } from './prepare.ts';
import { markQueued } from './send.ts';
import { settle, type End } from './settle.ts';
import { signFirst, storeSigned, type Signed } from './sign.ts';
import { holdTransactions, releaseClaims, type Hold } from './store/waiting.ts';
import { readLane, type LaneQuery, type LaneReading } from './store/read-lane.ts';

/** The number of transactions that are prepared, signed and stored together. */
const CHUNK = 100;

/**
 * How many jobs to claim next. A chunk is stored whole or not at all: while orders are cancelled all the time, only
 * smaller chunks succeed.
 */
export function claimLimit({ undone }: Pick<LaneMemory, 'undone'>): number {
  return Math.max(1, Math.floor(CHUNK / 2 ** undone));
}

/** The shortest and the longest delay before an order that cannot end yet is tried again: as long as it has waited. */
const UNDECIDED_RETRY_MS = { min: 2_000, max: 60_000 };

/** Claims the next chunk. */
export async function claimChunk(
  { services, kinds, lane, chain, head, reserved, snapshot, memory }: Driver,
  { batchId, underWay }: Pick<LaneQuery, 'batchId' | 'underWay'>,
): Promise<LaneReading> {
  return await readLane(services, kinds, lane, {
    batchId,
    underWay,
    limit: claimLimit(memory),
    window: chain.window,
    mined: head?.count ?? 0,
    reserved,
    includeInFlight: false,
    snapshot,
    signedAt: memory.signedAt,
    now: new Date(services.clock.now()),
  });
}

/** A prepared chunk; the room and wei that it needs are reserved. */
export interface Chunk {
  readonly batchId: string;
  readonly prepared: Prepared;
  readonly head: ChainHead;
  /** Whether the lane had observed a newer head. */
  readonly isBehind: boolean;
  /** Gives up what is reserved for it. */
  readonly release: () => void;
}

export async function prepareChunk(
  driver: Driver,
  batchId: string,
  jobs: readonly Job[],
  head: ChainHead,
): Promise<Chunk> {
  const isBehind = head.number < driver.newestBlock;
  const prepared = await prepare(driver, jobs, head);
  const { ready } = prepared;
  const wei = ready.reduce((sum, { gas, offer }) => sum + gas * offer.maxFeePerGas, 0n);
  const needed = { nonces: ready.length, orders: ready.reduce((sum, { jobs: own }) => sum + own.length, 0) };
  return { batchId, prepared, head, isBehind, release: driver.reserve(needed, wei) };
}

/**
 * Ends, holds, or signs and stores each job of a chunk.
 * @param dispatch Receives the stored jobs, which may now be sent.
 * @returns when the first job that is neither ended nor signed is due; infinite if there is none.
 */
export async function processChunk(
  driver: Driver,
  chunk: Chunk,
  dispatch: (stored: readonly Job[]) => void,
): Promise<EpochMs> {
  const { prepared } = chunk;
  const { services } = driver;
  if (prepared.ready.length > 0 && driver.memory.condition.state !== 'stuck') driver.memory.recover();
  const { failed, unstored, released } = await signChunk(driver, chunk, dispatch);
  const unused = [...prepared.unused, ...released];
  await releaseClaims(services.db, unused, null);
  const unsigned = new Decisions(driver);
  for (const { job, error } of failed) unsigned.notNow(job, error);
  const undecided = await endRefused(driver, [...prepared.refused, ...unsigned.refused], chunk);
  const held = [...prepared.held, ...unsigned.held];
  const reason = 'The service could not store its transaction';
  const others = [...undecided, ...unstored.map((job) => ({ job, reason }))];
  const heldUntil = await hold(driver, { ...prepared, held }, others);
  return unused.length > 0 ? services.clock.now() : heldUntil;
}

/** The jobs of a chunk that signing has left over. */
interface Unsigned extends Pick<Signed, 'failed'> {
  readonly unstored: readonly Job[];
  /** Due again at once. */
  readonly released: readonly Job[];
}

async function signChunk(
  driver: Driver,
  { prepared, head, release }: Chunk,
  dispatch: (stored: readonly Job[]) => void,
): Promise<Unsigned> {
  const ready = prepared.ready.flatMap(({ jobs }) => jobs);
  const none: Unsigned = { failed: [], unstored: [], released: ready };
  let nonces: readonly number[] = [];
  try {
    // What was checked when the chunk was prepared, such as a deadline, may not hold any longer.
    if (ready.length === 0 || driver.isOutdated || driver.doubt !== undefined || !driver.maySend) return none;
    nonces = driver.takeNonces(prepared.ready.length, head.count);
    const createdAt = new Date(driver.services.clock.now());
    const { attempts, failed } = await signFirst(driver.lane.chainId, prepared.ready, nonces, createdAt);
    const stored = await storeSigned(driver, 'waiting', attempts);
    markQueued(driver, stored);
    dispatch(stored);
    if (driver.isOutdated) return none;
    const ids = new Set(stored.map(({ transaction }) => transaction.id));
    const taken = new Set(jobsOf(attempts.filter(({ job }) => ids.has(job.transaction.id))));
    const unstored = jobsOf(attempts).filter((job) => !taken.has(job));
    const others = new Set([...taken, ...unstored, ...failed.map(({ job }) => job)]);
    return { failed, unstored, released: ready.filter((job) => !others.has(job)) };
  } finally {
    driver.returnNonces(nonces);
    release();
  }
}

function jobsOf(attempts: readonly NewAttempt[]): Job[] {
  return attempts.flatMap(({ job, carried }) => (carried.length === 0 ? [job] : [...carried]));
}

/**
 * @returns the jobs that cannot end yet: the head is too low; a third party's transaction may have had their effect,
 *   perhaps in a block that the lane has observed and this head lacks; or their end could not be written.
 */
async function endRefused(
  driver: Driver,
  refused: readonly Refusal[],
  { head, isBehind }: Chunk,
): Promise<readonly Refusal[]> {
  if (refused.length === 0) return [];
  // Any earlier attempts are proven lost; if one is mined after all, its receipt decides.
  const attempted = refused.filter(({ job }) => wasSigned(job)).map(({ job }) => job);
  const found = attempted.length === 0 ? new Map<Job, FoundReceipt>() : await findAll(driver, attempted, head);
  const examined = Array.from(found.values(), (own) => ({ found: own, result: tryInterpret(driver, own) }));
  const readable = examined.flatMap(({ found: own, result }) => (result === undefined ? [] : [{ found: own, result }]));
  const agreed = new Map((await deepForMost(driver, readable, head)).map((one) => [one.found.job, one]));
  // A node on a branch that was left may lack such a receipt.
  const lacking = await lackingBlock(driver, attempted, head);
  const ends = await Promise.all(
    refused.map(async (refusal): Promise<End | undefined> => {
      const own = agreed.get(refusal.job);
      try {
        if (own !== undefined) return await endByReceipt(driver, own.found, own.result, head);
        if (found.has(refusal.job)) return undefined;
        const isUnknown = lacking.has(refusal.job) || (isBehind && refusal.job.kind.findForeignEffect !== null);
        return isUnknown ? undefined : await endWithoutReceipt(driver, refusal, head);
      } catch (error) {
        // An order that cannot be read must not affect the others.
        driver.services.log.error('order.not_read', { ...namesOf(refusal.job), error });
        return undefined;
      }
    }),
  );
  await settle(
    driver,
    ends.filter((end) => end !== undefined),
  );
  return refused.filter(({ job }, index) => ends[index] === undefined || driver.memory.retryAt(job.transaction.id) > 0);
}

/** The receipts of all attempts of jobs, those of an earlier bundle only if they have the effect. */
async function findAll(driver: Driver, jobs: readonly Job[], head: ChainHead): Promise<ReadonlyMap<Job, FoundReceipt>> {
  const found = new Map(await findReceipts(driver.chain, jobs, head, Infinity));
  const others = jobs.filter((job) => !found.has(job) && job.earlier.length > 0);
  const carried = new Map(others.map((job) => [{ ...job, attempts: job.earlier }, job]));
  for (const own of (await findReceipts(driver.chain, [...carried.keys()], head, Infinity)).values()) {
    const job = carried.get(own.job);
    const result = tryInterpret(driver, own);
    if (job !== undefined && (result === undefined || 'effect' in result)) found.set(job, { ...own, job });
  }
  return found;
}

async function hold(
  driver: Driver,
  { ready, held }: Prepared,
  undecided: readonly Pick<Refusal, 'job' | 'reason'>[],
): Promise<number> {
  const { services, memory } = driver;
  const now = new Date(services.clock.now());
  const retryAt = ({ transaction: { id, holdReason, heldSince } }: Job) => {
    const waited = holdReason === 'not-now' && heldSince !== null ? now.getTime() - heldSince.getTime() : 0;
    const delay = Math.min(UNDECIDED_RETRY_MS.max, Math.max(UNDECIDED_RETRY_MS.min, waited));
    return new Date(Math.max(now.getTime() + delay, memory.retryAt(id)));
  };
  const holds: Hold[] = [
    ...held,
    ...undecided.map(({ job, reason }) => ({
      job,
      reason: 'not-now' as const,
      detail: reason,
      nextTryAt: retryAt(job),
    })),
  ];
  const receivers = await holdTransactions(services, holds, now);
  for (const { job, reason, detail } of holds) {
    services.log.warn('order.held', { ...namesOf(job), reason, detail });
  }
  const short = held.find(({ reason }) => reason === 'funds' || reason === 'fee-cap');
  if (short !== undefined && ready.length === 0) {
    const { reason, detail, job } = short;
    const state = reason === 'funds' ? 'empty' : 'fee-capped';
    memory.report({ state, orderId: job.transaction.orderId, reason: detail });
  }
  memory.wakeLater(receivers);
  return Math.min(...holds.map(({ nextTryAt }) => nextTryAt.getTime()));
}
