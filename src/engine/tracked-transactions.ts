import type { Hex } from 'viem';
import type { EpochMs } from '../core/epoch-ms.ts';
import { lowered, type Moment } from './moment.ts';

/** The result of the last send of a transaction's newest attempt. */
export interface Sending {
  readonly hash: Hex;
  /** The head's block number when these bytes were first sent. */
  readonly firstBlock: number;
  readonly at: EpochMs;
  /** Whether the bytes are queued and not sent yet. */
  readonly isQueued: boolean;
  /** Whether the node's reply says what it did with them. */
  readonly isConclusive: boolean;
  readonly underpriced: boolean;
  /** Why no node will ever accept them; undefined if one may. */
  readonly refusal: string | undefined;
  /** Why no node has accepted them, since when, and when last; undefined if one has, or none has answered. */
  readonly rejection: (Moment & { readonly reason: string; readonly lastAt: EpochMs }) | undefined;
}

interface Tracked {
  readonly sending: Sending | undefined;
  /** When it was first observed that its nonce is used and its receipt not found; undefined if that is not so. */
  readonly missing: Moment | undefined;
  /** The block at which its receipt will be deep enough; it is not read again before. */
  readonly deepAt: number;
  /** How often in a row most nodes disagreed with the first one on the receipt. */
  readonly disputes: number;
}

const UNKNOWN: Tracked = { sending: undefined, missing: undefined, deepAt: 0, disputes: 0 };

/** What was learned of each transaction in flight, by its id. */
export class TrackedTransactions {
  readonly #known = new Map<string, Tracked>();

  of(id: string): Tracked {
    return this.#known.get(id) ?? UNKNOWN;
  }

  /** @param sending Undefined: the attempt's bytes no longer count. */
  recordSending(id: string, sending: Sending | undefined): void {
    this.#change(id, { sending });
  }

  recordMissing(id: string, since: Moment): void {
    this.#change(id, { missing: this.of(id).missing ?? since, deepAt: 0 });
  }

  recordFound(id: string): void {
    this.#change(id, { missing: undefined });
  }

  recordDepth(id: string, deepAt: number): void {
    this.#change(id, { deepAt });
  }

  recordDisputes(id: string, disputes: number): void {
    this.#change(id, { disputes });
  }

  /** Whether the receipt of any has been missing since this time. */
  isAnyMissing(since: EpochMs): boolean {
    return [...this.#known.values()].some(({ missing }) => missing !== undefined && missing.at <= since);
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  /** Forgets all others. */
  retain(ids: ReadonlySet<string>): void {
    for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
  }

  forgetBlocksAbove(block: number, finality: number): void {
    for (const [id, { sending, missing, deepAt }] of this.#known) {
      const rejection = sending?.rejection && lowered(sending.rejection, block);
      this.#change(id, {
        sending: sending && { ...sending, firstBlock: Math.min(sending.firstBlock, block), rejection },
        missing: missing && lowered(missing, block),
        deepAt: deepAt > block + finality ? 0 : deepAt,
      });
    }
  }

  #change(id: string, change: Partial<Tracked>): void {
    this.#known.set(id, { ...this.of(id), ...change });
  }
}
