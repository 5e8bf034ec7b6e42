import type { Hex } from 'viem';
import type { EpochMs } from '../core/epoch-ms.ts';
import type { HeadObservation } from '../platform/database/schema.ts';
import { MAX_OBSERVATIONS } from './evidence.ts';
import { KnownContracts } from './known-contracts.ts';
import { LaneProgress } from './lane-progress.ts';
import { NonceSearch, type Consumer } from './nonce-consumers.ts';
import type { ForeignEffect } from './order-kind.ts';
import { Stopwatch } from './stopwatch.ts';
import type { LaneSnapshot } from './store/lane-row.ts';
import { TrackedTransactions } from './tracked-transactions.ts';

export type Condition = Pick<LaneSnapshot, 'state' | 'orderId' | 'reason'>;

/** A transaction that the database does not know, and that may have carried out an order of the lane. */
interface Suspect {
  readonly nonce: number;
  readonly hash: Hex;
}

/** A third party's effect that leaves no log, and a block in which it was seen. */
export interface EffectWithoutLog {
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly foreign: ForeignEffect<unknown>;
}

const HEALTHY: Condition = { state: 'ok', orderId: null, reason: null };

/** Where a lane's object keeps when its first attempts were last stored. */
export interface SignedAtStorage {
  /** @returns null or undefined if it is not known. */
  read(): EpochMs | null | undefined;
  /** @throws if another instance of the object has replaced this one. */
  write(signedAt: EpochMs | null): void;
}

/** What a lane's object keeps between runs. Any of it may be lost; a move loses all but {@link signedAt}. */
export class LaneMemory {
  readonly tracked = new TrackedTransactions();
  readonly search = new NonceSearch();
  /** Searches for the transactions that used nonces unknown to the database. */
  readonly unknownSearch = new NonceSearch();
  /** Transactions in final blocks that used such nonces, while a lower nonce is unexplained. */
  readonly strangers = new Map<number, Consumer>();
  /** Nonces that final blocks have explained: the database will not know them in the next run either. */
  readonly explained = new Set<number>();
  /** The first of these transactions that may have carried out an order. */
  suspect: Suspect | undefined;
  /** Where each effect without a log was first seen, by the id of its transaction. */
  readonly effectsWithoutLog = new Map<string, EffectWithoutLog>();
  /** Runs while a used nonce is unexplained. */
  readonly unread = new Stopwatch();
  readonly contracts = new KnownContracts();
  readonly progress: LaneProgress;
  /** Whether most nodes counted more transactions than the first one, when all were last asked. */
  isOutvoted = false;
  /** Whether the chain had mined what was sent by the first poll after it. */
  isPrompt = true;
  /** How many chunks in a row could not be stored because an order had changed, for example was cancelled. */
  undone = 0;
  /** Runs while the chain does not answer. */
  readonly silence = new Stopwatch();
  /** Runs while nothing in flight has the nonce that the chain wants next. */
  readonly gap = new Stopwatch();
  readonly #retries = new Map<string, EpochMs>();
  readonly #receivers = new Set<string>();
  readonly #apart = new Set<string>();
  #condition = HEALTHY;
  #taken = HEALTHY;
  #snapshot: LaneSnapshot | null = null;
  #epoch: string | undefined;
  #falseBlocks: readonly number[] = [];
  readonly #storage: SignedAtStorage | undefined;
  #signedAt: EpochMs | undefined;

  constructor(now: EpochMs, storage?: SignedAtStorage) {
    this.progress = new LaneProgress(now);
    this.#storage = storage;
    this.#signedAt = storage?.read() ?? undefined;
  }

  /**
   * When first attempts of the lane were last stored, according to a database; null if unknown. A database that knows
   * of none as late was set back.
   */
  get signedAt(): Date | null {
    return this.#signedAt === undefined ? null : new Date(this.#signedAt);
  }

  /** Keeps the time that a database says, before anything stored in it is sent. */
  recordSigned(at: Date | null): void {
    if (at === null || at.getTime() <= (this.#signedAt ?? -Infinity)) return;
    this.#storage?.write(at.getTime());
    this.#signedAt = at.getTime();
  }

  /**
   * Writes the kept time again, before first attempts are stored: an instance that was replaced fails here. If it
   * stored them in a database that was set back, their time would hide from the next instance what the database lacks.
   */
  keepPlace(): void {
    this.#storage?.write(this.#signedAt ?? null);
  }

  get condition(): Condition {
    return this.#condition;
  }

  report(condition: Condition): void {
    this.#condition = condition;
  }

  /** Ends the lane's condition if it is this one. @param state Absent: any. @param orderId Absent: of any order. */
  recover(state = this.#condition.state, orderId = this.#condition.orderId): void {
    if (this.#condition.state === state && this.#condition.orderId === orderId) this.#condition = HEALTHY;
  }

  /** @returns the lane's condition if it has changed since the last call. */
  takeNewCondition(): Condition | undefined {
    const { state, orderId } = this.#taken;
    this.#taken = this.#condition;
    const isSame = state === this.#condition.state && orderId === this.#condition.orderId;
    return isSame ? undefined : this.#condition;
  }

  /**
   * When to try again what has failed; 0 if it has not.
   * @param what The id of a transaction whose end could not be written; `key`, which could not be read; or `finality`,
   *   which could not be checked.
   */
  retryAt(what: string): EpochMs {
    return this.#retries.get(what) ?? 0;
  }

  retryLater(what: string, at: EpochMs): void {
    this.#retries.set(what, at);
  }

  /** Whether an order is to be signed by itself. */
  isApart(id: string): boolean {
    return this.#apart.has(id);
  }

  /** Records that what an order was signed in could not be stored, perhaps for its sake. */
  setApart(id: string): void {
    this.#apart.add(id);
  }

  get hasReceivers(): boolean {
    return this.#receivers.size > 0;
  }

  /** Records who has something to receive, to be woken by the next notification. */
  wakeLater(receivers: Iterable<string>): void {
    for (const id of receivers) this.#receivers.add(id);
  }

  takeReceivers(): string[] {
    const ids = [...this.#receivers];
    this.#receivers.clear();
    return ids;
  }

  /** The lane's row as of the end of the last run, which may not have been stored. */
  get snapshot(): LaneSnapshot | null {
    return this.#snapshot;
  }

  keep(snapshot: LaneSnapshot): void {
    this.#snapshot = snapshot;
  }

  /** The blocks of observations that were dropped as false, and that the chain has not reached since. */
  get falseBlocks(): readonly number[] {
    return this.#falseBlocks;
  }

  /** @param block A head. @param dropped The observations that it has shown to be false. */
  observed(block: number, dropped: readonly HeadObservation[]): void {
    const known = [...this.#falseBlocks, ...dropped.map(([number]) => number)];
    this.#falseBlocks = known.filter((number) => number > block).slice(-MAX_OBSERVATIONS);
  }

  /** The epoch of the database that was first read; undefined before. @param read The one just read. */
  epoch(read?: string): string | undefined {
    return (this.#epoch ??= read);
  }

  /** Forgets the transactions that another driver has ended. @param ids Those that have not. */
  retain(ids: ReadonlySet<string>): void {
    this.tracked.retain(ids);
  }

  /** Forgets a transaction that has ended. */
  forget(id: string): void {
    this.tracked.forget(id);
    this.effectsWithoutLog.delete(id);
    this.#retries.delete(id);
    this.#apart.delete(id);
  }

  /** Counts blocks from the head where a higher one is remembered: that was false, or on a branch that was left. */
  forgetBlocksAbove(block: number, finality: number): void {
    this.progress.forgetBlocksAbove(block);
    this.contracts.forgetBlocksAbove(block);
    this.tracked.forgetBlocksAbove(block, finality);
  }
}
