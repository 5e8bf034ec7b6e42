import type { EpochMs } from '../core/epoch-ms.ts';
/** A block, and when it was read. */
export interface Moment {
  readonly block: number;
  readonly at: EpochMs;
}

/** The same with this block, where it has a higher one. */
export function lowered<Part extends { readonly block: number }>(part: Part, block: number): Part {
  return part.block > block ? { ...part, block } : part;
}
