import type { EpochMs } from '../core/epoch-ms.ts';
import { newId } from '../core/record-id.ts';
import { credibleHead } from './evidence.ts';
import { readHead, type ChainHead } from './chain-head.ts';
import { explainNonces } from './explain-nonces.ts';
import { nextTryAt } from './holds.ts';
import { claimChunk, claimLimit, prepareChunk, processChunk, type Chunk } from './process-chunk.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { saveLaneChanges, updateHealth } from './lane-health.ts';
import { Driver, STUCK_MS } from './driver.ts';
import type { LaneMemory } from './lane-memory.ts';
import { observe } from './observe.ts';
import { ownNextNonce } from './own-next-nonce.ts';
import { sleep, Signal } from './signal.ts';
import { send } from './send.ts';
import { notify } from './settle.ts';
import type { LaneRow } from './store/lane-row.ts';
import { readHeld, readLane, type LaneReading } from './store/read-lane.ts';
import { holdTransactions, releaseClaims } from './store/waiting.ts';

/** How long one run lasts. The object's next alarm then continues with fresh platform limits. */
const RUN_MS = 25_000;
/** How long sending may go on after a run. Sending does not use the database, so a fence would not stop it. */
const SEND_MS = 15_000;
/** The longest interval between polls of the head from the time at which a block is expected. */
const POLL_MS = 500;
/** How long after its timestamp, in whole seconds, a block is seen at the latest, if nodes are asked in time. */
const MAX_DELAY_MS = 1_500;
/** How soon a poll follows what was sent, or found mined in part, on a chain that mines at once. */
const FIRST_POLL_MS = 50;
/** How often a loop that waits looks at the clock. */
const CLOCK_MS = 250;
/** For how many of the chain's block times balance and tip may be reused while nothing of the wallet is mined. */
const FUNDS_BLOCKS = 2;
/** How long a head may be reused when the next one is due. */
const HEAD_TTL_MS = 500;
/**
 * How long nothing more is claimed after the wallet could pay for nothing of a chunk: a thousand such orders would be
 * estimated all the time.
 */
const SHORT_PAUSE_MS = 1_000;
/** Work that is due so soon is waited for. */
const SOON_MS = 1_500;

/** The result of a run. */
export interface RunEnd {
  /** When to drive the lane again; null if nothing is left to do. */
  readonly nextAt: EpochMs | null;
  /** The number of wake-ups before the last claim: it saw everything accepted before them. */
  readonly seenWakes: number;
}

/**
 * Drives a lane for a limited time. Two loops share its state: one claims, signs and sends transactions; the other
 * watches what was sent and settles it. Sending never waits for receipts.
 * @param runMs The time limit, in milliseconds.
 */
export async function runLane(
  context: LaneContext,
  memory: LaneMemory,
  wakes: Signal,
  runMs = RUN_MS,
): Promise<RunEnd> {
  const until = context.services.clock.now() + runMs;
  for (let restarts = 0; ; restarts += 1) {
    const end = await new LaneRun(context, memory, wakes, until).drive();
    if (end !== 'restart') return end;
    // The lane's state was outdated: read the lane again.
    await sleep(Math.min(1_000, 10 * 2 ** restarts));
  }
}

class LaneRun {
  #context: LaneContext;
  readonly #memory: LaneMemory;
  readonly #wakes: Signal;
  readonly #until: EpochMs;
  /** Raised when one loop has something for the other. */
  readonly #activity = new Signal();
  /** Raised when a full window has room again. */
  readonly #room = new Signal();
  #driver!: Driver;
  #seenWakes = 0;
  /** Infinite if nothing waits. */
  #nextDueAt: EpochMs = Infinity;
  /** The newest block, and when it was first seen. */
  #newest = { hash: '', at: 0 };
  #isFull = false;
  /** Nothing is claimed before this time. */
  #pausedUntil: EpochMs = 0;
  #isIntakeOver = false;
  /** Whether what a head shows is being read: it may be that there is more to wait for. */
  #isObserving = false;
  #isChainSilent = false;
  /** Resolves when everything dispatched has been sent; never rejects. */
  #sending: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(context: LaneContext, memory: LaneMemory, wakes: Signal, until: EpochMs) {
    this.#context = fencedBy(context, memory.epoch());
    this.#memory = memory;
    this.#wakes = wakes;
    this.#until = until;
  }

  async drive(): Promise<RunEnd | 'restart'> {
    const { services, kinds, lane, chain } = this.#context;
    this.#seenWakes = this.#wakes.count;
    const now = new Date(services.clock.now());
    const batchId = newId(now.getTime());
    const [head, reading] = await Promise.all([
      readHead(chain.rpc, lane, () => services.clock.now()),
      readLane(services, kinds, lane, {
        batchId,
        underWay: [],
        limit: claimLimit(this.#memory),
        window: chain.window,
        mined: 0,
        reserved: { nonces: 0, orders: 0 },
        includeInFlight: true,
        snapshot: this.#memory.snapshot,
        signedAt: this.#memory.signedAt,
        now,
      }),
    ]);
    this.#context = fencedBy(this.#context, this.#memory.epoch(reading.epoch));
    if (this.#memory.signedAt !== null) this.#memory.recordSigned(reading.lane.signedAt);
    this.#driver = new Driver(this.#context, this.#memory, reading, this.#until + SEND_MS);
    await this.#take(reading);
    const accepted = await this.#acceptHead(head);
    if (accepted === undefined) {
      await this.#releaseClaims(reading.claimed, this.#silentUntil());
      await this.#saveCondition(reading.lane);
      return this.#end();
    }
    await explainNonces(this.#driver, accepted);
    // An object that has stored nothing believes the database once the chain shows nothing that it lacks.
    if (this.#driver.doubt === undefined) this.#memory.recordSigned(reading.lane.signedAt);
    await Promise.all([this.#guard(this.#intake(batchId, reading.claimed, accepted)), this.#guard(this.#watch())]);
    await notify(this.#driver);
    await this.#driver.backgroundWork();
    await this.#saveCondition(reading.lane);
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#driver.isOutdated && services.clock.now() < this.#until ? 'restart' : this.#end();
  }

  /** Stores what has changed in the lane's condition, and notifies its account. */
  async #saveCondition(row: LaneRow): Promise<void> {
    const isDone = this.#driver.isIdle && this.#nextDueAt === Infinity;
    if (isDone && !this.#isChainSilent) this.#memory.recover();
    updateHealth(this.#driver);
    await saveLaneChanges(this.#driver, row);
    if (this.#memory.hasReceivers) await notify(this.#driver);
  }

  /** A failure of one loop also ends the other. */
  async #guard(loop: Promise<void>): Promise<void> {
    try {
      await loop;
    } catch (error) {
      this.#failure ??= { error };
      this.#activity.raise();
    }
  }

  get #isOver(): boolean {
    return this.#isInvalid || this.#context.services.clock.now() >= this.#until;
  }

  /** Whether what was read and prepared must not be used. */
  get #isInvalid(): boolean {
    return this.#driver.isOutdated || this.#failure !== undefined || this.#isChainSilent;
  }

  /**
   * Takes over a reading of the lane, and holds orders that this version of the service cannot execute, for however
   * long: a later version may.
   */
  async #take({ nextDueAt, unknown, cancelRequests, isSetBack }: LaneReading): Promise<void> {
    const { services } = this.#context;
    if (isSetBack && !this.#driver.isSetBack) this.#driver.markOutdated();
    this.#nextDueAt = nextDueAt?.getTime() ?? Infinity;
    this.#driver.applyCancelRequests(cancelRequests);
    const now = services.clock.now();
    const holds = unknown.map((transaction) => ({
      job: { transaction },
      reason: 'paused' as const,
      detail: `This version of the service cannot execute orders of the kind ${transaction.kind}`,
      nextTryAt: nextTryAt('paused', transaction.tries, now),
    }));
    await holdTransactions(services, holds, new Date(now));
  }

  /** @returns a head on which to act; undefined if there is none. */
  async #acceptHead(read: ChainHead | undefined, hasDoubts = this.#driver.isInDoubt): Promise<ChainHead | undefined> {
    const { head, dropped } = await credibleHead(this.#driver, read, hasDoubts);
    if (read !== undefined && (head?.number !== read.number || head.hash !== read.hash || head.count !== read.count)) {
      const { number, count } = read;
      this.#context.services.log.warn('lane.head_refused', { ...this.#context.lane, number, count });
    }
    this.#memory.isOutvoted = hasDoubts && (read?.count ?? Infinity) < (head?.count ?? 0);
    if (head !== undefined) {
      this.#memory.silence.stop();
      await this.#learnNonces(head);
      this.#driver.recordHead(head, dropped);
      if (head.hash !== this.#newest.hash) this.#newest = { hash: head.hash, at: head.readAt };
      // Observed here, before anything is signed: a lane that was idle has not been stuck for as long.
      if (this.#driver.inFlight.length === 0) this.#memory.progress.record(head);
    } else {
      this.#memory.silence.start(this.#context.services.clock.now());
      this.#context.services.log.warn('lane.chain_silent', { ...this.#context.lane });
    }
    this.#isChainSilent = head === undefined;
    updateHealth(this.#driver);
    return head;
  }

  /** Reads whether another driver has signed with nonces that a head shows used, and that this one does not know. */
  async #learnNonces(head: ChainHead): Promise<void> {
    const { services, lane } = this.#context;
    const unknown = this.#driver.unknownAt(head);
    if (unknown.length > 0) this.#driver.learn(await readHeld(services.db, lane, unknown));
  }

  /** @param hasFunds Whether balance and tip are to be current too, for what is about to be signed. */
  async #pollHead(hasFunds: boolean): Promise<ChainHead | undefined> {
    const { services, lane, chain } = this.#context;
    const { head } = this.#driver;
    const known = head === undefined || (hasFunds && !this.#areFundsCurrent(head)) ? undefined : head;
    return await this.#acceptHead(await readHead(chain.rpc, lane, () => services.clock.now(), known));
  }

  #areFundsCurrent({ paid, count, fundsAt }: ChainHead): boolean {
    const age = this.#context.services.clock.now() - fundsAt;
    return paid === count && age < FUNDS_BLOCKS * this.#context.chain.blockTimeMs;
  }

  /** When the chain is expected to have another block, after as long as it took for the newest one to be seen. */
  #nextBlockAt({ hash, timestamp, readAt }: ChainHead): number {
    const seenAt = hash === this.#newest.hash ? this.#newest.at : readAt;
    return Math.min(seenAt, timestamp * 1_000 + MAX_DELAY_MS) + this.#context.chain.blockTimeMs;
  }

  /** Makes claimed jobs due again. @param at Absent: at once. */
  async #releaseClaims(jobs: readonly Pick<Job, 'transaction'>[], at?: EpochMs): Promise<void> {
    const { services } = this.#context;
    const now = services.clock.now();
    // One lost reply is no silence: it would keep an order that is always refused from its end.
    const isSilent = this.#memory.silence.elapsed(now) >= STUCK_MS;
    await releaseClaims(services.db, jobs, at === undefined ? null : new Date(at), isSilent ? new Date(now) : null);
    if (jobs.length > 0) this.#nextDueAt = Math.min(this.#nextDueAt, at ?? now);
  }

  /** When to ask a silent chain again: after as long as it has been silent, between one and ten seconds. */
  #silentUntil(): number {
    const now = this.#context.services.clock.now();
    return now + Math.min(10_000, Math.max(1_000, this.#memory.silence.elapsed(now)));
  }

  async #intake(batchId: string, claimed: readonly Job[], accepted: ChainHead): Promise<void> {
    // The head was read with the claim, so perhaps before a cancellation.
    const head = claimed.some(isCancelRequested) ? await this.#pollHead(true) : accepted;
    let chunk = claimed.length === 0 ? undefined : await this.#prepare(batchId, claimed, head);
    // A prepared chunk is processed even if the time is over, or one that takes longer to prepare than a run would
    // never be.
    while (chunk === undefined ? !this.#isOver : !this.#isInvalid) {
      if (chunk === undefined) {
        if (!(await this.#untilWork())) break;
        chunk = await this.#claim([]);
        continue;
      }
      // The next chunk is claimed and estimated while this one is signed and stored and the previous one is sent.
      const isLast = this.#isOver || isShort(chunk);
      const next = isLast ? Promise.resolve(undefined) : this.#claim([chunk.batchId]);
      const [following, heldUntil] = await Promise.all([
        next,
        processChunk(this.#driver, chunk, (stored) => this.#dispatch(stored)),
      ]);
      this.#nextDueAt = Math.min(this.#nextDueAt, heldUntil);
      if (isShort(chunk)) this.#pausedUntil = this.#context.services.clock.now() + SHORT_PAUSE_MS;
      chunk = following;
    }
    if (chunk !== undefined) await this.#releaseClaims(jobsOf(chunk));
    await this.#sending;
    this.#isIntakeOver = true;
    this.#activity.raise();
  }

  /** Queues stored attempts for sending, lowest nonce first. */
  #dispatch(stored: readonly Job[]): void {
    const before = this.#sending;
    this.#sending = (async () => {
      await before;
      await send(this.#driver, stored);
      this.#activity.raise();
    })();
  }

  /** @param underWay Earlier claims that are still being processed. */
  async #claim(underWay: readonly string[]): Promise<Chunk | undefined> {
    const { services } = this.#context;
    this.#isFull = this.#driver.slots === 0;
    if (this.#isFull) return undefined;
    this.#seenWakes = this.#wakes.count;
    const batchId = newId(services.clock.now());
    const reading = await claimChunk(this.#driver, { batchId, underWay });
    await this.#take(reading);
    if (reading.claimed.length === 0) {
      // Something due was not claimed: another driver's transactions hold the slots.
      this.#nextDueAt = Math.max(this.#nextDueAt, services.clock.now() + CLOCK_MS);
      return undefined;
    }
    return await this.#prepare(batchId, reading.claimed, await this.#headFor(reading.claimed));
  }

  /** @param head Undefined: no node answers, and what was claimed is released. */
  async #prepare(batchId: string, claimed: readonly Job[], head: ChainHead | undefined): Promise<Chunk | undefined> {
    let at = head;
    if (at !== undefined) {
      const chunk = await prepareChunk(this.#driver, batchId, claimed, at);
      if (!chunk.prepared.isDoubtful || !this.#canOutvote(at)) return chunk;
      chunk.release();
      at = await this.#acceptHead(at, true);
    }
    if (at !== undefined) return await prepareChunk(this.#driver, batchId, claimed, at);
    await this.#releaseClaims(claimed, this.#silentUntil());
    return undefined;
  }

  /** Whether other nodes may know better than the one that a head is of: none holds an order by its own word. */
  #canOutvote(head: ChainHead): boolean {
    return head.isOfMost !== true && this.#context.chain.rpc.providers > 1;
  }

  /** The head at which claimed jobs are prepared: a recent one that has all that they depend on. */
  async #headFor(jobs: readonly Job[]): Promise<ChainHead | undefined> {
    const { head } = this.#driver;
    if (head === undefined || !this.#areFundsCurrent(head)) return await this.#pollHead(true);
    const isOld = this.#context.services.clock.now() >= Math.max(this.#nextBlockAt(head), head.readAt + HEAD_TTL_MS);
    const isEnough = jobs.every(
      (job) => head.number >= (job.transaction.notBeforeBlock ?? 0) && !isCancelRequested(job),
    );
    return isEnough && !isOld ? head : await this.#pollHead(true);
  }

  /** @returns whether there may be something to claim; false if this run has nothing left to wait for. */
  async #untilWork(): Promise<boolean> {
    while (!this.#isOver) {
      const seen = this.#activity.count;
      const seenRoom = this.#room.count;
      const now = this.#context.services.clock.now();
      if (this.#isFull) {
        if (this.#driver.slots > 0) return true;
      } else if (now >= this.#pausedUntil) {
        if (this.#wakes.count !== this.#seenWakes) return true;
        const dueIn = this.#nextDueAt - now;
        if (dueIn <= 0) return true;
        const mayEnd = !this.#isObserving && !this.#isWorthWatching;
        if (this.#driver.isIdle && dueIn > SOON_MS && mayEnd) return false;
      }
      // While the window is full or claims pause, a wake-up changes nothing, and a pending one would turn this into a
      // busy loop.
      const isDeaf = this.#isFull || now < this.#pausedUntil;
      const other = isDeaf ? this.#room.after(seenRoom, CLOCK_MS) : this.#wakes.after(this.#seenWakes, CLOCK_MS);
      await Promise.race([this.#activity.after(seen, CLOCK_MS), other]);
    }
    return false;
  }

  async #watch(): Promise<void> {
    const now = () => this.#context.services.clock.now();
    const interval = Math.min(POLL_MS, this.#context.chain.blockTimeMs / 4);
    const soon = Math.min(FIRST_POLL_MS, interval);
    let pollAt = now();
    let sentAt = -Infinity;
    let seen = this.#activity.count;
    while (!this.#isOver) {
      // Without the other loop, nothing that is accepted meanwhile would be claimed.
      const isWatching = this.#driver.signed.length > 0 || (this.#isWorthWatching && !this.#isIntakeOver);
      if (isWatching && now() >= pollAt) {
        const minedBefore = this.#driver.head?.count ?? 0;
        const head = await this.#pollHead(false);
        if (head === undefined) break;
        if (head.readAt - sentAt <= interval) this.#memory.isPrompt = head.count > minedBefore;
        this.#isObserving = true;
        await this.#observe(head);
        this.#isObserving = false;
        const isMiningMore = this.#memory.isPrompt && head.count > minedBefore && this.#driver.hasUnmined;
        pollAt = isMiningMore ? now() + soon : this.#nextPollAt(head, interval);
      } else if (isWatching || !this.#isIntakeOver) {
        await this.#activity.after(seen, isWatching ? pollAt - now() : interval);
        if (this.#activity.count === seen) continue;
        seen = this.#activity.count;
        sentAt = now();
        const { head } = this.#driver;
        if (this.#memory.isPrompt) pollAt = sentAt + soon;
        else if (pollAt <= sentAt && head !== undefined) pollAt = this.#nextPollAt(head, interval);
      } else break;
    }
    this.#activity.raise();
  }

  async #observe(head: ChainHead): Promise<void> {
    if (this.#driver.slots > 0) this.#room.raise();
    await observe(this.#driver, head);
    await ownNextNonce(this.#driver, head);
    if (this.#memory.hasReceivers) await notify(this.#driver);
  }

  /** When the next block is expected, but after an interval at the earliest. In doubt, every poll asks each node. */
  #nextPollAt(head: ChainHead, interval: number): number {
    const now = this.#context.services.clock.now();
    const { blockTimeMs } = this.#context.chain;
    return this.#driver.isInDoubt ? now + blockTimeMs : Math.max(now + interval, this.#nextBlockAt(head));
  }

  /** Milliseconds until the next confirmed transaction is to be checked at finality; infinite if there is none. */
  #untilFinal(): number {
    const blocks = this.#driver.nextFinalAt - (this.#driver.head?.number ?? 0);
    const retryIn = this.#memory.retryAt('finality') - this.#context.services.clock.now();
    return Math.max(blocks * this.#context.chain.blockTimeMs, retryIn);
  }

  /**
   * Whether blocks are of interest although nothing is signed: for what is confirmed, or for what keeps orders waiting.
   */
  get #isWorthWatching(): boolean {
    const isReading = this.#driver.doubt?.needsOperator === false && this.#nextDueAt < Infinity;
    return isReading || this.#untilFinal() <= SOON_MS;
  }

  #end(): RunEnd {
    const { services, chain } = this.#context;
    const now = services.clock.now();
    const seenWakes = this.#seenWakes;
    if (this.#isChainSilent) return { nextAt: this.#silentUntil(), seenWakes };
    const isUnderWay = this.#driver.signed.length > 0 || this.#driver.isOutdated;
    const dueAt = isUnderWay ? now : Math.min(this.#nextDueAt, now + Math.max(chain.blockTimeMs, this.#untilFinal()));
    return { nextAt: dueAt === Infinity ? null : Math.max(now + 1, dueAt), seenWakes };
  }
}

/**
 * The context of a driver whose transactions commit only while the database has this epoch.
 * @param epoch Undefined: it has learned none yet.
 */
function fencedBy(context: LaneContext, epoch: string | undefined): LaneContext {
  const { services } = context;
  return { ...context, services: { ...services, db: { ...services.db, epoch } } };
}

/** Whether the wallet could pay for nothing of a chunk. */
function isShort({ prepared: { ready, held } }: Chunk): boolean {
  return ready.length === 0 && held.some(({ reason }) => reason === 'funds' || reason === 'fee-cap');
}

function jobsOf({ prepared: { ready, refused, held, unused } }: Chunk): Pick<Job, 'transaction'>[] {
  return [...unused, ...ready.flatMap(({ jobs }) => jobs), ...[...refused, ...held].map(({ job }) => job)];
}

/**
 * Such an order ends unless a third party has executed it, perhaps in a block newer than a head that was read before.
 */
function isCancelRequested({ transaction }: Job): boolean {
  return transaction.cancelRequestedAt !== null;
}
