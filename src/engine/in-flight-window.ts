/** How many nonces of a wallet may be in flight, and the progress towards a larger window. */
export interface InFlightWindow {
  readonly size: number;
  /** Transactions mined since the size last changed. */
  readonly mined: number;
}

/** The window is halved after this many consecutive blocks without one of our transactions while some are in flight. */
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

/** Whether the window is to be halved: true once every {@link IDLE_BLOCKS} blocks. */
export function isStalled(idleBlocks: number): boolean {
  return idleBlocks > 0 && idleBlocks % IDLE_BLOCKS === 0;
}
