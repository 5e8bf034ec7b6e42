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
 */
export function isStalled(since: Moment, now: Moment, { blockTimeMs }: { readonly blockTimeMs: number }): boolean {
  return now.block - since.block >= IDLE_BLOCKS && now.at - since.at >= IDLE_BLOCKS * blockTimeMs;
}
