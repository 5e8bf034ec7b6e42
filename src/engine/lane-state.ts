import type { Hex } from 'viem';
import type { LaneState as LaneCondition, HeadObservation } from '../platform/database/schema.ts';
import type { ChainHead } from './chain-head.ts';
import { freeNonces } from './free-nonces.ts';
import type { InFlightWindow, Moment } from './in-flight-window.ts';
import { hasEnded, isSigned, isWaiting, maxCost } from './job.ts';
import type { Job, SignedJob } from './job.ts';
import { withObservation } from './head-observations.ts';
import { PostponedWork } from './postponed-work.ts';
import type { LaneSnapshot } from './store/lane-row.ts';
import { MAX_HELD_NONCES, MAX_SIGNED } from './store/read-lane.ts';
import type { LaneReading } from './store/read-lane.ts';

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
}

/** What a lane's object keeps between runs. All of it may be lost. */
export interface LaneMemory {
  /** By transaction id. */
  readonly sendings: Map<string, Sending>;
  /** Ids of transactions that were observed unmined, and whose orders are SENT. */
  readonly seen: Set<string>;
  next: NextInLine | undefined;
  /** Transactions whose nonce is used but whose receipt is not found, and when that was first observed, by id. */
  readonly missing: Map<string, Moment>;
  /** The current search for the transaction that used a nonce. */
  search: NonceSearch | undefined;
  /** The block at which a receipt will be deep enough, by transaction id; it is not read again before. */
  readonly notBefore: Map<string, number>;
  /** When to retry writing an end that failed, by transaction id. */
  readonly settleRetryAt: Map<string, number>;
  readonly postponed: PostponedWork;
  /** Ids of webhook endpoints with new deliveries that have not been woken yet. */
  readonly endpointsToWake: Set<string>;
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
    seen: new Set(),
    next: undefined,
    missing: new Map(),
    search: undefined,
    notBefore: new Map(),
    settleRetryAt: new Map(),
    postponed: new PostponedWork(),
    endpointsToWake: new Set(),
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

/** A driver's view of its lane during one run: what it read from the database plus its own changes since. */
export class LaneState {
  readonly #jobs = new Map<string, Job>();
  readonly #held: Set<number>;
  readonly #lowestKnown: number;
  #observations: readonly HeadObservation[];
  #floor: number;
  #bodiesReadTo: number | null;
  window: InFlightWindow;
  /** The newest head of this run. */
  head: ChainHead | undefined;
  /** Another driver has changed the lane, or a reply was lost: the lane must be read again. */
  isOutdated = false;
  /** The nonces and wei reserved for transactions that are about to be stored. */
  reserved = { nonces: 0, wei: 0n };
  readonly #background = new Set<Promise<void>>();

  constructor(reading: LaneReading, { start, max }: { readonly start: number; readonly max: number }) {
    const { lane, underWay, held } = reading;
    for (const job of underWay) this.#jobs.set(job.transaction.id, job);
    this.#held = new Set(held);
    this.#lowestKnown = held.length < MAX_HELD_NONCES ? 0 : Math.min(...held);
    this.#observations = lane.observations;
    this.#floor = lane.floor;
    this.#bodiesReadTo = lane.bodiesReadTo;
    this.window = { size: Math.min(max, lane.inFlightWindow ?? start), mined: 0 };
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

  recordHead(head: ChainHead): void {
    this.head = head;
    this.#observations = withObservation(this.#observations, [head.number, head.count]);
  }

  get observations(): readonly HeadObservation[] {
    return this.#observations;
  }

  get floor(): number {
    return this.#floor;
  }

  /** Records that the bodies of final blocks were read, and the highest nonce of the wallet in them. */
  recordBodiesRead(to: number, highestNonce: number | undefined): void {
    this.#bodiesReadTo = Math.max(this.#bodiesReadTo ?? 0, to);
    if (highestNonce !== undefined) this.#floor = Math.max(this.#floor, highestNonce + 1);
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

  /** Removes a transaction that is final or waiting again. Its nonce stays held. */
  remove(id: string): void {
    this.#jobs.delete(id);
  }

  releaseNonce(nonce: number): void {
    this.#held.delete(nonce);
  }

  /** Unended jobs with a nonce, lowest nonce first. */
  get inFlight(): readonly SignedJob[] {
    return [...this.#jobs.values()].filter(isSigned).toSorted((a, b) => a.transaction.nonce - b.transaction.nonce);
  }

  /** Jobs confirmed in a block that is not final. */
  get notFinal(): readonly Job[] {
    return [...this.#jobs.values()].filter(hasEnded);
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

  snapshot(condition: Condition): LaneSnapshot {
    return {
      floor: this.#floor,
      observations: this.#observations,
      bodiesReadTo: this.#bodiesReadTo,
      inFlightWindow: this.window.size,
      ...condition,
    };
  }
}

export function isSameCondition(a: Condition, b: Condition): boolean {
  return a.state === b.state && a.orderId === b.orderId;
}
