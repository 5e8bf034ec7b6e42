/** How many nonces of a wallet may be in flight, and what it takes to change that. */
export interface InFlightWindow {
  readonly size: number;
  /** Transactions that were mined since the size changed. */
  readonly mined: number;
}

/** Blocks in a row without one of ours, while some are in flight, after which the window is halved. */
const IDLE_BLOCKS = 4;

/**
 * Doubled each time that a whole window was mined: that a node takes bytes says nothing, since some drop them later.
 */
export function afterMined({ size, mined }: InFlightWindow, count: number, max: number): InFlightWindow {
  const total = mined + count;
  return total >= size ? { size: Math.min(max, size * 2), mined: 0 } : { size, mined: total };
}

/** Halved when a node says that it is full, or nothing was mined for several blocks. */
export function halved({ size }: InFlightWindow): InFlightWindow {
  return { size: Math.max(1, Math.floor(size / 2)), mined: 0 };
}

/** Whether so many blocks without one of ours are a reason to halve it; each further span of as many is one again. */
export function isStalled(idleBlocks: number): boolean {
  return idleBlocks > 0 && idleBlocks % IDLE_BLOCKS === 0;
}
