import type { Hex } from 'viem';
import type { LaneState as LaneCondition, StoredLook } from '../platform/database/schema.ts';
import type { ChainHead } from './chain-head.ts';
import type { InFlightWindow } from './in-flight-window.ts';
import { hasEnded, isSigned, isWaiting, mostCost } from './job.ts';
import type { Job, SignedJob } from './job.ts';
import { withLook } from './looks.ts';
import type { LaneNote } from './store/lane-row.ts';
import { MOST_HELD } from './store/read-lane.ts';
import type { LaneReading } from './store/read-lane.ts';

/** What became of the newest bytes of a transaction when they were sent last. */
export interface Sending {
  /** Of the attempt. */
  readonly hash: Hex;
  /** Number of the newest block when these bytes were sent first, or became first in line. */
  readonly firstBlock: number;
  readonly at: number;
  /** They are about to leave. */
  readonly isQueued: boolean;
  /** Whether the node said what it did with them. */
  readonly isClear: boolean;
  readonly underpriced: boolean;
  /** Why the node will never take them; undefined where it may. */
  readonly refusal: string | undefined;
}

/** The transaction that is next in line. */
export interface NextInLine {
  readonly id: string;
  /** The newest block when it became that, and when that was. */
  readonly block: number;
  readonly at: number;
  /** When the node was asked last whether it could mine it. */
  readonly askedAt: number;
  /** How often in a row the node has said that it could not, though it has the bytes. */
  readonly denials: number;
}

/** How far the search for who took a nonce has come. */
interface TakerSearch {
  readonly nonce: number;
  /** The block whose body is read next. */
  readonly next: number;
  /** By how many blocks it reaches beyond what the looks say. */
  readonly slack: number;
}

/** What a lane's object remembers from one run to the next; all of it may be lost. */
export interface LaneMemory {
  /** By transaction id. */
  readonly sendings: Map<string, Sending>;
  /** Transactions that were seen unmined, and whose orders are SENT. */
  readonly seen: Set<string>;
  line: NextInLine | undefined;
  /** Transactions whose nonce is used, as seen first, and of which no receipt is found: by id. */
  readonly missing: Map<string, { readonly block: number; readonly at: number }>;
  /** The search for who took a nonce, while it lasts. */
  search: TakerSearch | undefined;
  /** Blocks of receipts that were not deep enough, by transaction id: they are not looked for before. */
  readonly notBefore: Map<string, number>;
  /** Until when transactions are left alone whose end cannot be written, by id. */
  readonly unwritable: Map<string, number>;
  /** Contracts that are known to have code. */
  readonly contracts: Set<string>;
  /** Deliveries of events that the queue has not been told of. */
  readonly unsentDeliveries: Set<string>;
  /** What the last run knew of the lane's nonces and blocks, which it may not have written down. */
  learned: LaneNote | null;
  /** How the lane is doing, as far as its orders are concerned. */
  condition: Condition;
  /** The condition that was logged last. */
  loggedCondition: Condition;
  /** Since when a gap is seen, in milliseconds since the epoch. */
  gapSince: number | undefined;
  /** Since when the chain has given no usable answer, in milliseconds since the epoch; undefined while it answers. */
  silentSince: number | undefined;
  /** The newest block when something of the lane was mined last, or was sent into an empty lane, and when that was. */
  progress: { readonly block: number; readonly at: number; readonly count: number };
}

export interface Condition {
  readonly state: LaneCondition;
  readonly orderId: string | null;
  readonly reason: string | null;
}

export const GOOD: Condition = { state: 'ok', orderId: null, reason: null };

export function newMemory(now: number): LaneMemory {
  return {
    sendings: new Map(),
    seen: new Set(),
    line: undefined,
    missing: new Map(),
    search: undefined,
    notBefore: new Map(),
    unwritable: new Map(),
    contracts: new Set(),
    unsentDeliveries: new Set(),
    learned: null,
    condition: GOOD,
    loggedCondition: GOOD,
    gapSince: undefined,
    silentSince: undefined,
    progress: { block: 0, at: now, count: 0 },
  };
}

/** A lane as its driver knows it during one run: what the database said, and what this driver has changed since. */
export class LaneState {
  readonly #jobs = new Map<string, Job>();
  readonly #held: Set<number>;
  readonly #lowestKnown: number;
  #looks: readonly StoredLook[];
  #floor: number;
  #bodiesReadTo: number | null;
  window: InFlightWindow;
  /** The newest look of this run. */
  head: ChainHead | undefined;
  /** Another driver has changed what this one knows, or a reply was lost: it must be read again. */
  isOutdated = false;
  /** The block at which the window was halved last because nothing was mined. */
  stalledAt: number | undefined;
  /** Nonces, and wei, of transactions that are about to be stored. */
  reserved = { nonces: 0, wei: 0n };

  constructor(reading: LaneReading, { start, max }: { readonly start: number; readonly max: number }) {
    const { lane, underWay, held } = reading;
    for (const job of underWay) this.#jobs.set(job.transaction.id, job);
    this.#held = new Set(held);
    this.#lowestKnown = held.length < MOST_HELD ? 0 : Math.min(...held);
    this.#looks = lane.looks;
    this.#floor = lane.floor;
    this.#bodiesReadTo = lane.bodiesReadTo;
    this.window = { size: Math.min(max, lane.inFlightWindow ?? start), mined: 0 };
  }

  /** Takes note of a look. */
  look(head: ChainHead): void {
    this.head = head;
    this.#looks = withLook(this.#looks, [head.number, head.count]);
  }

  get looks(): readonly StoredLook[] {
    return this.#looks;
  }

  get floor(): number {
    return this.#floor;
  }

  /** Takes note that the bodies of final blocks were read, and of the highest nonce of the wallet in them. */
  readBodies(to: number, highestNonce: number | undefined): void {
    this.#bodiesReadTo = Math.max(this.#bodiesReadTo ?? 0, to);
    if (highestNonce !== undefined) this.#floor = Math.max(this.#floor, highestNonce + 1);
  }

  /** Takes note of which signed transactions customers want cancelled. */
  noteCancelRequests(requests: ReadonlyMap<string, Date>): void {
    for (const [id, cancelRequestedAt] of requests) {
      const job = this.#jobs.get(id);
      if (job !== undefined) this.#jobs.set(id, { ...job, transaction: { ...job.transaction, cancelRequestedAt } });
    }
  }

  put(job: Job): void {
    this.#jobs.set(job.transaction.id, job);
    if (job.transaction.nonce !== null) this.#held.add(job.transaction.nonce);
  }

  /** It has ended and nothing is left to look at, or it waits again. Its nonce stays held. */
  remove(id: string): void {
    this.#jobs.delete(id);
  }

  releaseNonce(nonce: number): void {
    this.#held.delete(nonce);
  }

  /** Those with a nonce that have not ended, lowest nonce first. */
  get inFlight(): readonly SignedJob[] {
    return [...this.#jobs.values()].filter(isSigned).toSorted((a, b) => a.transaction.nonce - b.transaction.nonce);
  }

  /** Those that are confirmed in a block that may yet be taken back. */
  get notFinal(): readonly Job[] {
    return [...this.#jobs.values()].filter(hasEnded);
  }

  get isIdle(): boolean {
    return ![...this.#jobs.values()].some((job) => isSigned(job) || isWaiting(job));
  }

  /** The lowest nonce that may be used: nothing below it is known to be free. */
  get lowestNonce(): number {
    return Math.max(this.#floor, this.#lowestKnown, this.head?.count ?? 0);
  }

  get held(): ReadonlySet<number> {
    return this.#held;
  }

  /** How many more nonces may be in flight. */
  get slots(): number {
    return Math.max(0, this.window.size - this.inFlight.length - this.reserved.nonces);
  }

  /** Wei that what is in flight may still cost. */
  get committed(): bigint {
    return this.inFlight.reduce((sum, job) => sum + mostCost(job), this.reserved.wei);
  }

  note(condition: Condition): LaneNote {
    return {
      floor: this.#floor,
      looks: this.#looks,
      bodiesReadTo: this.#bodiesReadTo,
      inFlightWindow: this.window.size,
      ...condition,
    };
  }
}

export function isSameCondition(a: Condition, b: Condition): boolean {
  return a.state === b.state && a.orderId === b.orderId;
}
