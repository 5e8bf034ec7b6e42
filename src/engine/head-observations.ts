import type { HeadObservation } from '../platform/database/schema.ts';

const MAX_OBSERVATIONS = 32;
/** The block and the count of one observation may come from nodes that are this many blocks apart. */
const SLACK = 8;

/** Adds an observation. Of several with the same count the newest block is kept, because a later transaction comes after it. */
export function withObservation(
  observations: readonly HeadObservation[],
  observation: HeadObservation,
): readonly HeadObservation[] {
  const [block, count] = observation;
  const last = observations.at(-1);
  if (last !== undefined && last[1] === count) {
    return block > last[0] ? [...observations.slice(0, -1), observation] : observations;
  }
  return [...observations, observation].slice(-MAX_OBSERVATIONS);
}

/**
 * The range of blocks in which a nonce was used. An observation may include blocks that were reorganized out later, so it
 * only bounds the canonical chain up to the last common block.
 * @param finality The chain's finality depth.
 * @returns `after`: the highest block at which the nonce was unused; `to`: the lowest at which it was used. Undefined if
 *   no observation says so.
 */
export function blockRangeOfNonce(
  observations: readonly HeadObservation[],
  nonce: number,
  finality: number,
): { readonly after: number | undefined; readonly to: number | undefined } {
  const before = observations.filter(([, count]) => count <= nonce).map(([block]) => block);
  const used = observations.filter(([, count]) => count > nonce).map(([block]) => block);
  return {
    after: before.length === 0 ? undefined : Math.max(0, Math.max(...before) - SLACK - (finality - 1)),
    to: used.length === 0 || finality > 1 ? undefined : Math.min(...used) + SLACK,
  };
}

/** More transactions of one wallet than this do not fit into a block. */
export const MAX_TRANSACTIONS_PER_BLOCK = 2_000;

/**
 * Whether the wallet's count can have grown this much since the last observation. A faulty node must not cause nonces to
 * be assigned that can never be mined.
 */
export function isPlausible(observations: readonly HeadObservation[], [block, count]: HeadObservation): boolean {
  const last = observations.at(-1);
  if (last === undefined) return true;
  const [lastBlock, lastCount] = last;
  return count <= lastCount + MAX_TRANSACTIONS_PER_BLOCK * (Math.max(0, block - lastBlock) + 1);
}
