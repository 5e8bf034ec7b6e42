import type { StoredLook } from '../platform/database/schema.ts';

/** How many are kept. */
const KEPT = 32;
/** Answers to one look may come from nodes that are this many blocks apart. */
const SLACK = 8;

/** Adds a look. Of those that saw the same count the newest is kept: a later transaction lies after it. */
export function withLook(looks: readonly StoredLook[], look: StoredLook): readonly StoredLook[] {
  const [block, count] = look;
  const last = looks.at(-1);
  if (last !== undefined && last[1] === count) {
    return block > last[0] ? [...looks.slice(0, -1), look] : looks;
  }
  return [...looks, look].slice(-KEPT);
}

/**
 * Between which blocks a nonce was used. A look may have seen blocks that were taken back later: what it says holds
 * for the chain that stayed only as far as the two have their blocks in common, and says nothing of when the nonce
 * was used there.
 * @param finality Of the chain.
 * @returns `after` is the highest block at which it was not, undefined where no look tells; `to` the lowest at which
 *   it was.
 */
export function blocksOfNonce(
  looks: readonly StoredLook[],
  nonce: number,
  finality: number,
): { readonly after: number | undefined; readonly to: number | undefined } {
  const before = looks.filter(([, count]) => count <= nonce).map(([block]) => block);
  const used = looks.filter(([, count]) => count > nonce).map(([block]) => block);
  return {
    after: before.length === 0 ? undefined : Math.max(0, Math.max(...before) - SLACK - (finality - 1)),
    to: used.length === 0 || finality > 1 ? undefined : Math.min(...used) + SLACK,
  };
}

/** More transactions of one wallet than this are in no block. */
export const MOST_IN_BLOCK = 2_000;

/**
 * Whether a wallet can have come so far since the last looks: a node that makes no sense must not have nonces handed
 * out that never come up.
 */
export function isPlausible(looks: readonly StoredLook[], [block, count]: StoredLook): boolean {
  const last = looks.at(-1);
  if (last === undefined) return true;
  const [lastBlock, lastCount] = last;
  return count <= lastCount + MOST_IN_BLOCK * (Math.max(0, block - lastBlock) + 1);
}
