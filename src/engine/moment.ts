import type { EpochMs } from '../core/epoch-ms.ts';
/** A block, and when it was read. */
export interface Moment {
  readonly block: number;
  readonly at: EpochMs;
}

/** Lowers the block of something to this one, if it is higher. */
export function lowered<Part extends { readonly block: number }>(part: Part, block: number): Part {
  return part.block > block ? { ...part, block } : part;
}
