import type { Hex } from 'viem';
import type { HeadObservation, LaneCondition } from '../platform/database/schema.ts';
import type { ChainHead } from './chain-head.ts';
import { withObservation } from './evidence.ts';
import { isSigned, isWaiting, maxCost, type Job, type SignedJob } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneSnapshot } from './store/lane-row.ts';
import { MAX_HELD_NONCES, MAX_SIGNED, type LaneReading } from './store/read-lane.ts';

/** The result of the last send of a transaction's newest attempt. */
export interface Sending {
  /** The attempt's hash. */
  readonly hash: Hex;
  /** The head's block number when these bytes were first sent. */
  readonly firstBlock: number;
  readonly at: number;
  /** Whether they are queued and not sent yet. */
  readonly isQueued: boolean;
  /** Whether the node's reply says what it did with them. */
  readonly isConclusive: boolean;
  readonly underpriced: boolean;
  /** Why no node will ever accept them; undefined if one may. */
  readonly refusal: string | undefined;
  /** Why no node has accepted them, and since when; undefined if one has, or none has answered. */
  readonly rejection: (Moment & { readonly reason: string }) | undefined;
}

/** The transaction with the lowest unmined nonce, and when it became that. */
export interface NextInLine extends Moment {
  readonly id: string;
  /** When the node's pending count was last read. */
  readonly checkedAt: number;
  /** How many times in a row the node's pending count excluded it, although the node has the bytes. */
  readonly misses: number;
}

/** The progress of a search for the transaction that used a nonce. */
interface NonceSearch {
  readonly nonce: number;
  /** The block whose body is read next. */
  readonly next: number;
  /** How many blocks beyond the observed range are searched. */
  readonly slack: number;
  /** Whether each node is asked for the blocks, because the first ones have shown nothing. */
  readonly asksEach: boolean;
  /** When it goes on, in milliseconds since the epoch. */
  readonly notBefore: number;
}

/** What a lane's object keeps between runs. All of it may be lost. */
export interface LaneMemory {
  /** By transaction id. */
  readonly sendings: Map<string, Sending>;
  next: NextInLine | undefined;
  /** Transactions whose nonce is used but whose receipt is not found, and when that was first observed, by id. */
  readonly missing: Map<string, Moment>;
  /** The current search for the transaction that used a nonce. */
  search: NonceSearch | undefined;
  /** The block at which a receipt will be deep enough, by transaction id; it is not read again before. */
  readonly notBefore: Map<string, number>;
  /** When to retry writing an end that failed, by transaction id. */
  readonly settleRetryAt: Map<string, number>;
  /** Ids of webhook endpoints with new deliveries that have not been woken yet. */
  readonly endpointsToWake: Set<string>;
  /** The database's epoch; undefined until it is first read. */
  epoch: string | undefined;
  /** When confirmed transactions that could not be checked at finality are read again, in milliseconds since the epoch. */
  recheckAt: number;
  /** The lane's row as of the end of the last run, which may not have been stored. */
  snapshot: LaneSnapshot | null;
  condition: Condition;
  /** The last condition that was logged. */
  loggedCondition: Condition;
  /** When the current nonce gap was first observed, in milliseconds since the epoch. */
  gapSince: number | undefined;
  /** When the chain stopped answering, in milliseconds since the epoch; undefined while it answers. */
  silentSince: number | undefined;
  /** Until when replacements are not tried, because the wallet's key could not be read, in milliseconds since the epoch. */
  noKeyUntil: number;
  /** The block, time and mined count when the lane last made progress: something was mined, or nothing was in flight. */
  progress: Moment & { readonly count: number };
  /** When the in-flight window was last halved for the lack of progress. */
  halved: Moment | undefined;
}

export interface Condition {
  readonly state: LaneCondition;
  readonly orderId: string | null;
  readonly reason: string | null;
}

export const HEALTHY: Condition = { state: 'ok', orderId: null, reason: null };

export function newMemory(now: number): LaneMemory {
  return {
    sendings: new Map(),
    next: undefined,
    missing: new Map(),
    search: undefined,
    notBefore: new Map(),
    settleRetryAt: new Map(),
    endpointsToWake: new Set(),
    epoch: undefined,
    recheckAt: 0,
    snapshot: null,
    condition: HEALTHY,
    loggedCondition: HEALTHY,
    gapSince: undefined,
    silentSince: undefined,
    noKeyUntil: 0,
    progress: { block: 0, at: now, count: 0 },
    halved: undefined,
  };
}

/**
 * A driver of a lane during one run: its dependencies, what it remembers between runs, and its view of the lane, which is what it read from the
 * database plus its own changes since.
 */
export class Driver implements LaneContext {
  readonly services: LaneContext['services'];
  readonly kinds: LaneContext['kinds'];
  readonly lane: LaneContext['lane'];
  readonly chain: LaneContext['chain'];
  readonly memory: LaneMemory;
  readonly #jobs = new Map<string, Job>();
  readonly #held: Set<number>;
  readonly #lowestKnown: number;
  #observations: readonly HeadObservation[];
  #floor: number;
  window: InFlightWindow;
  /** The newest head of this run. */
  head: ChainHead | undefined;
  /** The lowest known block of a confirmed transaction that is not final; null if there is none. */
  nextFinal: number | null;
  #isOutdated = false;
  /** The nonces and wei reserved for transactions that are about to be stored. */
  reserved = { nonces: 0, wei: 0n };
  readonly #background = new Set<Promise<void>>();

  constructor({ services, kinds, lane: name, chain }: LaneContext, memory: LaneMemory, reading: LaneReading) {
    const { lane, underWay, held, nextFinal } = reading;
    const { start, max } = chain.window;
    this.services = services;
    this.kinds = kinds;
    this.lane = name;
    this.chain = chain;
    this.memory = memory;
    this.nextFinal = nextFinal;
    for (const job of underWay) this.#jobs.set(job.transaction.id, job);
    this.#held = new Set(held);
    this.#lowestKnown = held.length < MAX_HELD_NONCES ? 0 : Math.min(...held);
    this.#observations = lane.observations;
    this.#floor = lane.floor;
    this.window = { size: Math.min(max, lane.inFlightWindow ?? start), mined: 0 };
  }

  /** Another driver has changed the lane, or a reply was lost: the lane must be read again. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  markOutdated(): void {
    this.#isOutdated = true;
  }

  /** Runs work in the background, beside the run. @param work Never rejects. */
  runInBackground(work: Promise<void>): void {
    const running = work.then(() => void this.#background.delete(running));
    this.#background.add(running);
  }

  /** Resolves when all background work has ended. */
  async backgroundWork(): Promise<void> {
    await Promise.all(this.#background);
  }

  /** Records endpoints with new deliveries, to be woken by the next notification. */
  wakeLater(endpointIds: Iterable<string>): void {
    for (const id of endpointIds) this.memory.endpointsToWake.add(id);
  }

  /** @param observations Those made before it that were not false. */
  recordHead(head: ChainHead, observations: readonly HeadObservation[]): void {
    this.head = head;
    this.#observations = withObservation(observations, [head.number, head.count]);
    forgetBlocksAbove(head.number, this.memory, this.chain.finality);
  }

  /** Whether a nonce has been used for some blocks by a transaction that is not found: the head may be false, or of another branch. */
  get isInDoubt(): boolean {
    const { services, chain, memory } = this;
    const doubtAt = services.clock.now() - DOUBT_BLOCKS * chain.blockTimeMs;
    return chain.rpc.providers > 1 && [...memory.missing.values()].some(({ at }) => at <= doubtAt);
  }

  get observations(): readonly HeadObservation[] {
    return this.#observations;
  }

  /** The newest block that was observed, by this driver or an earlier one. */
  get newestBlock(): number {
    return Math.max(0, ...this.#observations.map(([block]) => block));
  }

  /** Records that a transaction was confirmed in a block that is not final. */
  noteConfirmed(block: number): void {
    this.nextFinal = Math.min(this.nextFinal ?? Infinity, block);
  }

  get floor(): number {
    return this.#floor;
  }

  /** Records that all nonces below one are used, by final transactions. */
  raiseFloor(nonce: number): void {
    this.#floor = Math.max(this.#floor, nonce);
  }

  /** Applies customers' requests to cancel signed transactions. */
  applyCancelRequests(requests: ReadonlyMap<string, Date>): void {
    for (const [id, cancelRequestedAt] of requests) {
      const job = this.#jobs.get(id);
      if (job !== undefined) this.#jobs.set(id, { ...job, transaction: { ...job.transaction, cancelRequestedAt } });
    }
  }

  put(job: Job): void {
    this.#jobs.set(job.transaction.id, job);
    if (job.transaction.nonce !== null) this.#held.add(job.transaction.nonce);
  }

  /** Removes a transaction that has ended. Its nonce stays held. */
  remove(id: string): void {
    const { sendings, missing, notBefore, settleRetryAt } = this.memory;
    for (const known of [this.#jobs, sendings, missing, notBefore, settleRetryAt]) known.delete(id);
  }

  /** Unended jobs with a nonce, lowest nonce first. */
  get inFlight(): readonly SignedJob[] {
    return [...this.#jobs.values()].filter(isSigned).toSorted((a, b) => a.transaction.nonce - b.transaction.nonce);
  }

  get isIdle(): boolean {
    return ![...this.#jobs.values()].some((job) => isSigned(job) || isWaiting(job));
  }

  /** The lowest nonce that may be used; none below is known to be free. */
  get lowestNonce(): number {
    return Math.max(this.#floor, this.#lowestKnown, this.head?.count ?? 0);
  }

  get held(): ReadonlySet<number> {
    return this.#held;
  }

  /** How many nonces may be in flight: the window, and one more while a nonce below blocks all of them. */
  get capacity(): number {
    const unmined = this.#unmined;
    const highest = unmined.at(-1);
    if (highest === undefined || unmined.length < this.window.size) return this.window.size;
    const [free = highest.transaction.nonce] = freeNonces(this.lowestNonce, this.#held, 1);
    return free < highest.transaction.nonce ? unmined.length + 1 : this.window.size;
  }

  /** How many more nonces may be in flight: what is mined leaves room for others before its end is written. */
  get slots(): number {
    const room = Math.min(this.capacity - this.#unmined.length, MAX_SIGNED - this.inFlight.length);
    return Math.max(0, room - this.reserved.nonces);
  }

  get #unmined(): readonly SignedJob[] {
    const mined = this.head?.count ?? 0;
    return this.inFlight.filter(({ transaction }) => transaction.nonce >= mined);
  }

  /** The most that transactions in flight may still cost, in wei. @param mined How many the balance has already paid for. */
  committed(mined: number): bigint {
    const unpaid = this.inFlight.filter(({ transaction }) => transaction.nonce >= mined);
    return unpaid.reduce((sum, job) => sum + maxCost(job), this.reserved.wei);
  }

  /** What the lane's row is to say. */
  get snapshot(): LaneSnapshot {
    const { size: inFlightWindow } = this.window;
    return { floor: this.#floor, observations: this.#observations, inFlightWindow, ...this.memory.condition };
  }
}

/** How many of the chain's block times what is mined may be missing, before the head is doubted. */
const DOUBT_BLOCKS = 4;

/** Counts blocks from the head where a higher one is remembered: that was false, or on a branch that was left. */
function forgetBlocksAbove(block: number, memory: LaneMemory, finality: number): void {
  const lowered = <Part extends { readonly block: number }>(part: Part): Part =>
    part.block > block ? { ...part, block } : part;
  memory.progress = lowered(memory.progress);
  if (memory.next !== undefined) memory.next = lowered(memory.next);
  if (memory.halved !== undefined) memory.halved = lowered(memory.halved);
  for (const [id, sending] of memory.sendings) {
    const { firstBlock, rejection } = sending;
    if (Math.max(firstBlock, rejection?.block ?? 0) <= block) continue;
    const firstSeen = rejection === undefined ? undefined : lowered(rejection);
    memory.sendings.set(id, { ...sending, firstBlock: Math.min(firstBlock, block), rejection: firstSeen });
  }
  for (const [id, missing] of memory.missing) memory.missing.set(id, lowered(missing));
  for (const [id, due] of memory.notBefore) if (due > block + finality) memory.notBefore.delete(id);
}

export function isSameCondition(a: Condition, b: Condition): boolean {
  return a.state === b.state && a.orderId === b.orderId;
}

/** How many nonces of a wallet may be in flight, and the progress towards a larger window. */
export interface InFlightWindow {
  readonly size: number;
  /** Transactions mined since the size last changed. */
  readonly mined: number;
}

/**
 * The window is halved after this many blocks without one of our transactions while some are in flight, and not before as many usual
 * block times of the chain have passed: blocks that come faster say less.
 */
const IDLE_BLOCKS = 4;

/**
 * Doubles the window each time a whole window has been mined. Acceptance by a node does not count: some drop transactions later.
 */
export function afterMined({ size, mined }: InFlightWindow, count: number, max: number): InFlightWindow {
  const total = mined + count;
  return total >= size ? { size: Math.min(max, size * 2), mined: 0 } : { size, mined: total };
}

/** Halves the window: a node's pool is full, or nothing was mined for several blocks. */
export function halved({ size }: InFlightWindow): InFlightWindow {
  return { size: Math.max(1, Math.floor(size / 2)), mined: 0 };
}

/** A block, and when it was read, in milliseconds since the epoch. */
export interface Moment {
  readonly block: number;
  readonly at: number;
}

/**
 * Whether the window is to be halved at `now`.
 * @param since When the lane last made progress, or when the window was last halved for the lack of it.
 * @internal Exported for its unit test.
 */
export function isStalled(since: Moment, now: Moment, { blockTimeMs }: { readonly blockTimeMs: number }): boolean {
  return now.block - since.block >= IDLE_BLOCKS && now.at - since.at >= IDLE_BLOCKS * blockTimeMs;
}

/**
 * Updates the next transaction in line and the lane's progress at a new head; without progress the window is halved. How long there was none
 * is remembered by the memory, since a lane is read again often when the database or another driver gets in its way.
 * @param unmined The lane's transactions that are not mined at this head, lowest nonce first.
 */
export function updateProgress(
  driver: Pick<Driver, 'window'> & {
    readonly chain: Pick<Driver['chain'], 'blockTimeMs'>;
    readonly memory: Pick<LaneMemory, 'next' | 'progress' | 'halved'>;
  },
  head: Pick<ChainHead, 'number' | 'count' | 'readAt'>,
  unmined: readonly { readonly transaction: Pick<SignedJob['transaction'], 'id'> }[],
): void {
  const { chain, memory } = driver;
  const now = { block: head.number, at: head.readAt };
  const [first] = unmined;
  if (first === undefined) memory.next = undefined;
  else if (memory.next?.id !== first.transaction.id) {
    const { id } = first.transaction;
    memory.next = { id, ...now, checkedAt: head.readAt, misses: 0 };
  }

  if (first === undefined || head.count > memory.progress.count) {
    memory.progress = { ...now, count: head.count };
    return;
  }
  const { progress, halved: last } = memory;
  const since = last !== undefined && last.at > progress.at ? last : progress;
  if (isStalled(since, now, chain)) {
    memory.halved = now;
    driver.window = halved(driver.window);
  }
}

/**
 * The lowest free nonces.
 * @param first The lowest nonce that may be used; all below are mined or known to be used.
 * @param held Nonces held by the lane's transactions, including ended ones.
 */
export function freeNonces(first: number, held: ReadonlySet<number>, count: number): number[] {
  const free: number[] = [];
  for (let nonce = first; free.length < count; nonce += 1) if (!held.has(nonce)) free.push(nonce);
  return free;
}
