import type { Wei } from '../chains/wei.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import type { HeadObservation } from '../platform/database/schema.ts';
import type { ChainHead } from './chain-head.ts';
import { lowestCount, withObservation } from './evidence.ts';
import { freeNonces } from './free-nonces.ts';
import { isCarried, isOrder, isSigned, isWaiting, maxCost, type Job, type SignedJob } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory } from './lane-memory.ts';
import type { LaneSnapshot } from './store/lane-row.ts';
import { MAX_HELD_NONCES, MAX_SIGNED, type LaneReading, type Reserved } from './store/read-lane.ts';

/**
 * A driver of a lane during one run: its dependencies, what it remembers between runs, and its view of the lane, which
 * is what it read from the database plus its own changes since.
 */
export class Driver implements LaneContext {
  readonly services: LaneContext['services'];
  readonly kinds: LaneContext['kinds'];
  readonly lane: LaneContext['lane'];
  readonly chain: LaneContext['chain'];
  readonly memory: LaneMemory;
  readonly #sendUntil: EpochMs;
  readonly #jobs = new Map<string, Job>();
  readonly #held: Set<number>;
  readonly #lowestKnown: number;
  #observations: readonly HeadObservation[];
  #floor: number;
  #head: ChainHead | undefined;
  /** The lowest known block of a confirmed transaction that is not final; infinite if there is none. */
  #nextFinal: number;
  /** The lowest block of a confirmed transaction that is being checked; infinite if there is none. */
  #checked = Infinity;
  #isOutdated = false;
  /** Whether the database lacks transactions that the lane has signed. */
  readonly isSetBack: boolean;
  #reserved = { nonces: 0, orders: 0 };
  #reservedWei = 0n;
  readonly #background = new Set<Promise<void>>();

  /** @param sendUntil After this time nothing is sent. */
  constructor(
    { services, kinds, lane: name, chain }: LaneContext,
    memory: LaneMemory,
    reading: LaneReading,
    sendUntil: EpochMs,
  ) {
    const { lane, underWay, held, nextFinal } = reading;
    this.services = services;
    this.kinds = kinds;
    this.lane = name;
    this.chain = chain;
    this.memory = memory;
    this.#sendUntil = sendUntil;
    for (const job of underWay) this.#jobs.set(job.transaction.id, job);
    memory.retain(new Set(this.#jobs.keys()));
    for (const nonce of memory.explained) if (nonce < lane.floor) memory.explained.delete(nonce);
    this.#held = new Set(held);
    this.#lowestKnown = held.length < MAX_HELD_NONCES ? 0 : Math.min(...held);
    this.#observations = lane.observations;
    this.#floor = lane.floor;
    this.isSetBack = reading.isSetBack;
    this.#nextFinal = nextFinal ?? Infinity;
  }

  /** Another driver has changed the lane, or a reply was lost: the lane must be read again. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  markOutdated(): void {
    this.#isOutdated = true;
  }

  /** Whether what this run has read or stored may still be sent: the database may have been fenced off since. */
  get maySend(): boolean {
    return this.#sendingMs > 0;
  }

  /** Ends what is being sent when it may not be sent any longer. */
  endOfSending(): AbortSignal {
    return AbortSignal.timeout(Math.min(Math.max(0, this.#sendingMs), MAX_SENDING_MS));
  }

  get #sendingMs(): number {
    return this.#sendUntil - this.services.clock.now();
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

  /** The newest head of this run. */
  get head(): ChainHead | undefined {
    return this.#head;
  }

  /** @param dropped Observations that it has shown to be false. */
  recordHead(head: ChainHead, dropped: readonly HeadObservation[]): void {
    this.#head = head;
    this.memory.observed(head.number, dropped);
    this.#observations = this.#observations.filter(([block]) => !dropped.some(([number]) => number === block));
    const hasUnknown = this.unknownNonces.length > 0;
    this.#observations = withObservation(this.#observations, [head.number, head.count], hasUnknown);
    this.memory.forgetBlocksAbove(head.number, this.chain.finality);
  }

  /** The result of {@link unknownAt} for the newest head. */
  get unknownNonces(): readonly number[] {
    return this.#head === undefined ? [] : this.unknownAt(this.#head);
  }

  /**
   * The nonces, lowest first, that were used since the first observation by transactions that the database may lack; at
   * most {@link MAX_HELD_NONCES}.
   */
  unknownAt({ count }: Pick<ChainHead, 'count'>): readonly number[] {
    const lowest = Math.max(this.#floor, this.#lowestKnown, lowestCount(this.#observations) ?? count);
    const length = Math.min(MAX_HELD_NONCES, Math.max(0, count - lowest));
    const { explained } = this.memory;
    return Array.from({ length }, (_, index) => lowest + index).filter(
      (nonce) => !this.#held.has(nonce) && !explained.has(nonce),
    );
  }

  /** Records that used nonces are those of the lane's transactions. */
  learn(nonces: readonly number[]): void {
    for (const nonce of nonces) this.#held.add(nonce);
  }

  /**
   * Records that the lowest unknown nonce is explained. Older observations are forgotten, unless they say where to look
   * for signed transactions. The search for the next nonce starts at `block`.
   * @param block The block in which the nonce was used.
   */
  recordExplained(nonce: number, block: number): void {
    this.memory.explained.add(nonce);
    if (this.signed.some(({ transaction }) => transaction.nonce < nonce)) return;
    const later = this.#observations.filter(([, count]) => count > nonce);
    const isNext = later[0]?.[1] === nonce + 1;
    this.#observations = isNext ? later : [[block, nonce + 1], ...later];
  }

  /**
   * Why nothing may be signed for the first time: an order might be executed again. Undefined if nothing is in doubt.
   */
  get doubt(): Doubt | undefined {
    const { suspect, signedAt } = this.memory;
    if (this.isSetBack) {
      const reason = `The database was set back: it lacks what was signed at ${signedAt?.toISOString()}. ${RELEASE}`;
      return { reason, needsOperator: true };
    }
    const [nonce] = this.unknownNonces;
    if (nonce === undefined) return undefined;
    if (suspect?.nonce !== nonce) {
      return { reason: `Nonce ${nonce} was used, and no final block shows yet by what`, needsOperator: false };
    }
    const { hash } = suspect;
    const reason = `Nonce ${nonce} was used by ${hash}, which the database lacks, perhaps for an order. ${RELEASE}`;
    return { reason, needsOperator: true };
  }

  /**
   * Whether the head may be false, or of another branch: a nonce has been used for some blocks by a transaction that is
   * not found, one that was signed long ago has no receipt, or the first node was outvoted when it was last doubted.
   */
  get isInDoubt(): boolean {
    const { services, chain, memory } = this;
    if (chain.rpc.providers === 1) return false;
    const now = services.clock.now();
    const isOverdue = this.inFlight.some(({ transaction: { id }, attempts: [first] }) => {
      const isDeepening = memory.tracked.of(id).deepAt > (this.#head?.number ?? 0);
      return !isDeepening && first !== undefined && now - first.createdAt.getTime() >= STUCK_MS;
    });
    return memory.isOutvoted || isOverdue || memory.tracked.isAnyMissing(now - DOUBT_BLOCKS * chain.blockTimeMs);
  }

  get observations(): readonly HeadObservation[] {
    return this.#observations;
  }

  /** The newest block that was observed, by this driver or an earlier one. */
  get newestBlock(): number {
    return Math.max(0, ...this.#observations.map(([block]) => block));
  }

  /**
   * The block at which the first confirmed transaction becomes final and is checked again; infinite if there is none.
   */
  get nextFinalAt(): number {
    return this.#nextFinal + this.chain.finality - 1;
  }

  /** Records that a transaction was confirmed in a block that is not final. */
  noteConfirmed(block: number): void {
    this.#nextFinal = Math.min(this.#nextFinal, block);
  }

  /**
   * Records that all confirmed transactions so far are about to be checked. Those that are not final afterwards are
   * noted again.
   */
  noteChecking(): void {
    this.#checked = this.#nextFinal;
    this.#nextFinal = Infinity;
  }

  /** Records that they have been checked. */
  noteChecked(): void {
    this.#checked = Infinity;
  }

  /** Whether all that was confirmed in a block and before it is found final. */
  isFinalUpTo(block: number): boolean {
    return Math.min(this.#nextFinal, this.#checked) > block;
  }

  get floor(): number {
    return this.#floor;
  }

  /** Records that all nonces below one are used, by final transactions; the floor stays below what is not explained. */
  raiseFloor(nonce: number): void {
    const [unknown = nonce] = this.unknownNonces;
    this.#floor = Math.max(this.#floor, Math.min(nonce, unknown));
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
    this.#jobs.delete(id);
    this.memory.forget(id);
  }

  /** Unended jobs with a nonce, bundles and what they carry, lowest nonce first. */
  get signed(): readonly SignedJob[] {
    return [...this.#jobs.values()].filter(isSigned).toSorted((a, b) => a.transaction.nonce - b.transaction.nonce);
  }

  /** Signed transactions with a nonce of their own: all but those that a bundle carries. */
  get inFlight(): readonly SignedJob[] {
    return this.signed.filter((job) => !isCarried(job));
  }

  /** The jobs that a bundle carries. @param id The bundle's transaction. */
  carriedBy(id: string): readonly Job[] {
    return [...this.#jobs.values()].filter(({ transaction }) => transaction.bundleId === id);
  }

  /** Whether the customer has asked to cancel it, or all that it carries if it is a bundle. */
  isWithdrawn(job: SignedJob): boolean {
    const { transaction } = job;
    if (transaction.cancelRequestedAt !== null) return true;
    if (isOrder(job)) return false;
    const carried = this.carriedBy(transaction.id);
    return carried.length > 0 && carried.every((one) => one.transaction.cancelRequestedAt !== null);
  }

  get isIdle(): boolean {
    return ![...this.#jobs.values()].some((job) => isSigned(job) || isWaiting(job));
  }

  get held(): ReadonlySet<number> {
    return this.#held;
  }

  /**
   * Takes the lowest free nonces for what is about to be signed.
   * @param mined So many are used at a head. @param end Only nonces below.
   */
  takeNonces(count: number, mined: number, end = Infinity): readonly number[] {
    const lowest = Math.max(this.#floor, this.#lowestKnown, this.#head?.count ?? 0, mined);
    const nonces = freeNonces(lowest, this.#held, count).filter((nonce) => nonce < end);
    this.learn(nonces);
    return nonces;
  }

  /** Gives back those of them with which nothing was stored. */
  returnNonces(nonces: readonly number[]): void {
    const used = new Set(Array.from(this.#jobs.values(), ({ transaction }) => transaction.nonce));
    for (const nonce of nonces) if (!used.has(nonce)) this.#held.delete(nonce);
  }

  /**
   * How many more nonces may be in flight. A mined transaction makes room before its end is written. None while the
   * limit of signed orders is reached.
   */
  get slots(): number {
    const isRoom = this.signed.length + this.#reserved.orders < MAX_SIGNED;
    return isRoom ? Math.max(0, this.chain.window - this.#unmined.length - this.#reserved.nonces) : 0;
  }

  get reserved(): Reserved {
    return this.#reserved;
  }

  /** Reserves what transactions that are about to be stored need. @returns what releases it. */
  reserve({ nonces, orders }: Reserved, wei: Wei): () => void {
    const add = (sign: 1 | -1) => {
      const { nonces: nonce, orders: order } = this.#reserved;
      this.#reserved = { nonces: nonce + sign * nonces, orders: order + sign * orders };
      this.#reservedWei += BigInt(sign) * wei;
    };
    add(1);
    return () => add(-1);
  }

  /** Whether anything in flight is not mined at the newest head. */
  get hasUnmined(): boolean {
    return this.#unmined.length > 0;
  }

  get #unmined(): readonly SignedJob[] {
    const mined = this.#head?.count ?? 0;
    return this.inFlight.filter(({ transaction }) => transaction.nonce >= mined);
  }

  /**
   * The most that transactions in flight may still cost.
   * @param mined How many the balance has already paid for.
   */
  committed(mined: number): Wei {
    const unpaid = this.inFlight.filter(({ transaction }) => transaction.nonce >= mined);
    return unpaid.reduce((sum, job) => sum + maxCost(job), this.#reservedWei);
  }

  /** The state to store in the lane's row. */
  get snapshot(): LaneSnapshot {
    const { falseBlocks, signedAt, condition } = this.memory;
    return {
      floor: this.#floor,
      observations: this.#observations,
      falseBlocks,
      signedAt,
      ...condition,
    };
  }
}

/** Why a lane signs nothing. */
export interface Doubt {
  readonly reason: string;
  /** Whether the doubt lasts until an operator has compared the database with the chain. */
  readonly needsOperator: boolean;
}

/** The remedy for a doubt that only an operator can end. */
const RELEASE = 'Orders wait until the operator has run: npm run nft -- compare --adopt';

/** Longer than a run may send. */
const MAX_SENDING_MS = 60_000;
/** The head is doubted once the receipt of a used nonce has been missing for this many block times. */
const DOUBT_BLOCKS = 4;
/**
 * A lane is stuck if nothing was mined, or the chain did not answer, for this long; and so a transaction is overdue.
 */
export const STUCK_MS = 60_000;
