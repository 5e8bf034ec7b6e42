import type { EpochMs } from '../core/epoch-ms.ts';
import type { ChainHead } from './chain-head.ts';
import { lowered, type Moment } from './moment.ts';

type Head = Pick<ChainHead, 'number' | 'count' | 'readAt'>;

/** The transaction with the lowest unmined nonce, and when it became that. */
interface NextInLine extends Moment {
  readonly id: string;
  /** When the node's pending count was last read. */
  readonly checkedAt: EpochMs;
  /** How many times in a row the node's pending count excluded the transaction, although the node has the bytes. */
  readonly misses: number;
}

/** A used nonce whose transaction has not ended. */
interface Unsettled {
  readonly nonce: number;
  /** The block at which the nonce was first seen used. */
  readonly block: number;
  /** When that block was first seen to be final; infinite before. */
  readonly finalSince: EpochMs;
}

/** When a lane last made progress: something was mined, or nothing was in flight; and what it waits for. */
export class LaneProgress {
  #last: Moment & { readonly count: number };
  #next: NextInLine | undefined;
  #unsettled: Unsettled | undefined;

  constructor(now: EpochMs) {
    this.#last = { block: 0, at: now, count: 0 };
  }

  get lastAt(): EpochMs {
    return this.#last.at;
  }

  get next(): NextInLine | undefined {
    return this.#next;
  }

  get unsettled(): Unsettled | undefined {
    return this.#unsettled;
  }

  /** @param nonce The lowest nonce of what is signed if it is used at this head; undefined if it is not. */
  recordUnsettled(nonce: number | undefined, { number, readAt }: Head, finality: number): void {
    if (nonce === undefined) this.#unsettled = undefined;
    else if (this.#unsettled?.nonce !== nonce) this.#unsettled = { nonce, block: number, finalSince: Infinity };
    if (this.#unsettled?.finalSince !== Infinity || number < this.#unsettled.block + finality - 1) return;
    this.#unsettled = { ...this.#unsettled, finalSince: readAt };
  }

  /** Records progress at a head. */
  record({ number, readAt, count }: Head): void {
    this.#last = { block: number, at: readAt, count };
  }

  /**
   * Observes a new head. How long there was no progress is remembered here, since a lane is read again often when the
   * database or another driver gets in its way.
   * @param nextId The transaction with the lowest nonce that is not mined at this head; undefined if all are.
   */
  observe(head: Head, nextId: string | undefined): void {
    const now = { block: head.number, at: head.readAt };
    if (nextId === undefined) this.#next = undefined;
    else if (this.#next?.id !== nextId) this.#next = { id: nextId, ...now, checkedAt: now.at, misses: 0 };
    if (nextId === undefined || head.count > this.#last.count) this.record(head);
  }

  /** Records whether the node's pending count excludes what is next. @returns how many times in a row it did. */
  recordCheck(next: NextInLine, checkedAt: EpochMs, isExcluded: boolean): number {
    const misses = isExcluded ? next.misses + 1 : 0;
    this.#next = { ...next, checkedAt, misses };
    return misses;
  }

  forgetBlocksAbove(block: number): void {
    this.#last = lowered(this.#last, block);
    this.#next &&= lowered(this.#next, block);
    this.#unsettled &&= lowered(this.#unsettled, block);
  }
}
