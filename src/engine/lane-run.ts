import { newId } from '../core/ids.ts';
import { readHead } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import { dueBlock } from './finality.ts';
import { fillGaps } from './fill-gaps.ts';
import { CHUNK, carryOut, claimChunk, prepareChunk } from './intake.ts';
import type { Chunk } from './intake.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { noteHealth } from './lane-health.ts';
import { LaneState } from './lane-state.ts';
import type { LaneMemory } from './lane-state.ts';
import { isPlausible } from './looks.ts';
import { observe } from './observe.ts';
import { pause } from './pause.ts';
import { send } from './send.ts';
import { tell } from './settle.ts';
import { Signal } from './signal.ts';
import { giveBack } from './store/waiting.ts';
import { tellOfLaneChanges } from './tell-of-lane-changes.ts';
import { readLane } from './store/read-lane.ts';

/** How long one run works; then the object's next alarm goes on, with fresh limits. */
const RUN_MS = 25_000;
/** The longest pause between looks while something is in flight. */
const LOOK_MS = 250;
/** For how long a look at the head serves others. */
const HEAD_MS = 500;
/** Work that is due so soon is waited for. */
const SOON_MS = 1_500;

/** What a run leaves behind. */
export interface RunEnd {
  /** When the lane is to be driven again, in milliseconds since the epoch; null when nothing is left to do. */
  readonly nextAt: number | null;
  /** The count of wake-ups before the last claim: whatever was accepted before them is known. */
  readonly seenWakes: number;
}

/**
 * Drives a lane for a while. Two loops share what is known of it: one takes work in, signs and sends it; the other looks at what was sent and settles it. Sending
 * never waits for receipts.
 * @param runMs For how long, in milliseconds.
 */
export async function runLane(
  context: LaneContext,
  memory: LaneMemory,
  wakes: Signal,
  runMs = RUN_MS,
): Promise<RunEnd> {
  const until = context.services.clock.now() + runMs;
  for (let again = 0; ; again += 1) {
    const end = await new LaneRun(context, memory, wakes, until).drive();
    if (end !== 'again') return end;
    // What it knew was outdated: it reads the lane again, and never insists.
    await pause(Math.min(1_000, 10 * 2 ** again));
  }
}

class LaneRun {
  readonly #context: LaneContext;
  readonly #memory: LaneMemory;
  readonly #wakes: Signal;
  readonly #until: number;
  /** Given when one loop has something for the other. */
  readonly #news = new Signal();
  #state!: LaneState;
  #seenWakes = 0;
  #nextDueAt: number | null = null;
  #isFull = false;
  #isIntakeOver = false;
  #isChainSilent = false;
  /** Settles when everything that was handed over is sent; sending does not fail. */
  #sending: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(context: LaneContext, memory: LaneMemory, wakes: Signal, until: number) {
    this.#context = context;
    this.#memory = memory;
    this.#wakes = wakes;
    this.#until = until;
  }

  async drive(): Promise<RunEnd | 'again'> {
    const { services, kinds, lane, chain } = this.#context;
    this.#seenWakes = this.#wakes.count;
    const now = new Date(services.clock.now());
    const batchId = newId(now.getTime());
    const [seen, reading] = await Promise.all([
      readHead(chain.rpc, lane, () => services.clock.now()),
      readLane(services.db, kinds, lane, {
        batchId,
        underWay: [],
        most: this.#most(),
        window: null,
        startWindow: chain.window.start,
        reserved: 0,
        whole: true,
        note: this.#memory.learned,
        now,
      }),
    ]);
    this.#state = new LaneState(reading, chain.window);
    this.#nextDueAt = reading.nextDueAt?.getTime() ?? null;
    const head = this.#see(seen);
    if (head === undefined) {
      await this.#giveBack(reading.claimed);
    } else {
      await Promise.all([this.#guard(this.#intake(batchId, reading.claimed, head)), this.#guard(this.#watch())]);
    }
    await tell(this.#context, this.#memory);
    noteHealth(this.#context, this.#memory, this.#state);
    await tellOfLaneChanges(this.#context, this.#memory, this.#state, reading.lane);
    if (this.#memory.unsentDeliveries.size > 0) await tell(this.#context, this.#memory);
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#state.isOutdated && services.clock.now() < this.#until ? 'again' : this.#end();
  }

  /** A failure of one loop ends the other too. */
  async #guard(loop: Promise<void>): Promise<void> {
    try {
      await loop;
    } catch (error) {
      this.#failure ??= { error };
      this.#news.give();
    }
  }

  get #isOver(): boolean {
    return (
      this.#state.isOutdated ||
      this.#failure !== undefined ||
      this.#isChainSilent ||
      this.#context.services.clock.now() >= this.#until
    );
  }

  /** How much is claimed at a time: while the wallet cannot pay, or the fees are too high, one order shows when that has changed. */
  #most(): number {
    const { state } = this.#memory.condition;
    return state === 'empty' || state === 'fee-capped' ? 1 : CHUNK;
  }

  /** @returns the look, unless no chain can have come so far since the last ones. */
  #see(seen: ChainHead | undefined): ChainHead | undefined {
    const head = seen !== undefined && isPlausible(this.#state.looks, [seen.number, seen.count]) ? seen : undefined;
    if (head !== undefined) {
      this.#memory.silentSince = undefined;
      this.#state.look(head);
    } else {
      this.#memory.silentSince ??= this.#context.services.clock.now();
    }
    this.#isChainSilent = head === undefined;
    if (head === undefined) this.#context.services.log.warn('lane.chain_silent', { ...this.#context.lane });
    noteHealth(this.#context, this.#memory, this.#state);
    return head;
  }

  async #look(): Promise<ChainHead | undefined> {
    const { services, lane, chain } = this.#context;
    return this.#see(await readHead(chain.rpc, lane, () => services.clock.now()));
  }

  async #giveBack(jobs: readonly Job[]): Promise<void> {
    const { services } = this.#context;
    const nextTryAt = new Date(this.#silentUntil());
    await giveBack(services.db, jobs, nextTryAt);
    if (jobs.length > 0) this.#nextDueAt = Math.min(this.#nextDueAt ?? Infinity, nextTryAt.getTime());
  }

  /** A chain that does not answer is asked again after as long as it has been silent, at most ten seconds. */
  #silentUntil(): number {
    const now = this.#context.services.clock.now();
    return now + Math.min(10_000, Math.max(1_000, now - (this.#memory.silentSince ?? now)));
  }

  async #intake(batchId: string, claimed: readonly Job[], head: ChainHead): Promise<void> {
    let chunk =
      claimed.length === 0
        ? undefined
        : await prepareChunk(this.#context, this.#state, this.#memory, batchId, claimed, head);
    while (!this.#isOver) {
      if (chunk === undefined) {
        if (!(await this.#untilWork())) break;
        chunk = await this.#claim([]);
        continue;
      }
      // The next chunk is claimed and estimated while this one is signed and stored, and the one before is sent.
      const next = chunk.prepared.laneHold === undefined ? this.#claim([chunk.batchId]) : Promise.resolve(undefined);
      const [following, heldUntil] = await Promise.all([
        next,
        carryOut(this.#context, this.#state, this.#memory, chunk, (stored) => this.#dispatch(stored)),
      ]);
      if (heldUntil !== null) this.#nextDueAt = Math.min(this.#nextDueAt ?? Infinity, heldUntil);
      chunk = following;
    }
    if (chunk !== undefined)
      await giveBack(this.#context.services.db, jobsOf(chunk), new Date(this.#context.services.clock.now()));
    await this.#sending;
    this.#isIntakeOver = true;
    this.#news.give();
  }

  /** Has stored bytes sent after those before them, lowest nonce first. */
  #dispatch(stored: readonly Job[]): void {
    const before = this.#sending;
    this.#sending = (async () => {
      await before;
      await send(this.#context, this.#state, this.#memory, stored);
      this.#news.give();
    })();
  }

  /** @param underWay Earlier claims that are still being carried out. */
  async #claim(underWay: readonly string[]): Promise<Chunk | undefined> {
    const { services } = this.#context;
    this.#isFull = this.#state.slots === 0;
    if (this.#isFull) return undefined;
    this.#seenWakes = this.#wakes.count;
    const batchId = newId(services.clock.now());
    const reading = await claimChunk(this.#context, this.#state, this.#memory, {
      batchId,
      underWay,
      most: this.#most(),
    });
    this.#nextDueAt = reading.nextDueAt?.getTime() ?? null;
    this.#state.noteCancelRequests(reading.cancelRequests);
    if (reading.claimed.length === 0) {
      // What is due and was not claimed has no slot: another driver's transactions hold it.
      if (this.#nextDueAt !== null) this.#nextDueAt = Math.max(this.#nextDueAt, services.clock.now() + LOOK_MS);
      return undefined;
    }
    const known = this.#state.head;
    const isFresh = known !== undefined && services.clock.now() - known.readAt < HEAD_MS;
    const head = isFresh ? known : await this.#look();
    if (head === undefined) {
      await this.#giveBack(reading.claimed);
      return undefined;
    }
    return await prepareChunk(this.#context, this.#state, this.#memory, batchId, reading.claimed, head);
  }

  /** @returns whether there may be something to claim; false when this run has no more to wait for. */
  async #untilWork(): Promise<boolean> {
    while (!this.#isOver) {
      const seen = this.#news.count;
      const now = this.#context.services.clock.now();
      if (this.#isFull) {
        if (this.#state.slots > 0) return true;
      } else {
        if (this.#wakes.count !== this.#seenWakes) return true;
        const dueIn = (this.#nextDueAt ?? Infinity) - now;
        if (dueIn <= 0) return true;
        if (this.#state.isIdle && dueIn > SOON_MS) return false;
      }
      // While the window is full a wake-up changes nothing, and one that is already there would make this go round without a wait.
      const woken = this.#isFull ? [] : [this.#wakes.after(this.#seenWakes, LOOK_MS)];
      await Promise.race([this.#news.after(seen, LOOK_MS), ...woken]);
    }
    return false;
  }

  async #watch(): Promise<void> {
    const interval = Math.min(LOOK_MS, this.#context.chain.blockTimeMs / 4);
    while (!this.#isOver) {
      const seen = this.#news.count;
      if (this.#hasToLook()) {
        const head = await this.#look();
        if (head === undefined) break;
        await observe(this.#context, this.#state, this.#memory, head);
        // An order that is due soon takes the nonce; one that is held does not.
        const isNoneDue = (this.#nextDueAt ?? Infinity) - head.readAt > SOON_MS;
        if (isNoneDue && !this.#isFull) await fillGaps(this.#context, this.#state, this.#memory, head);
        if (this.#memory.unsentDeliveries.size > 0) await tell(this.#context, this.#memory);
      } else if (this.#isIntakeOver) break;
      await this.#news.after(seen, interval);
    }
    this.#news.give();
  }

  #hasToLook(): boolean {
    const { inFlight, notFinal, head } = this.#state;
    if (inFlight.length > 0) return true;
    const { finality, blockTimeMs } = this.#context.chain;
    return notFinal.some((job) => (dueBlock(job, finality) - (head?.number ?? 0)) * blockTimeMs <= SOON_MS);
  }

  #end(): RunEnd {
    const { services, chain } = this.#context;
    const now = services.clock.now();
    const state = this.#state;
    if (this.#isChainSilent) return { nextAt: this.#silentUntil(), seenWakes: this.#seenWakes };
    const times: number[] = [];
    if (state.inFlight.length > 0) times.push(now + 1);
    if (this.#nextDueAt !== null) times.push(Math.max(now + 1, this.#nextDueAt));
    for (const job of state.notFinal) {
      const blocks = dueBlock(job, chain.finality) - (state.head?.number ?? 0);
      times.push(now + Math.max(1, blocks) * chain.blockTimeMs);
    }
    return { nextAt: times.length === 0 ? null : Math.min(...times), seenWakes: this.#seenWakes };
  }
}

function jobsOf({ prepared: { ready, refused, held } }: Chunk): Job[] {
  return [...ready, ...refused, ...held].map(({ job }) => job);
}
