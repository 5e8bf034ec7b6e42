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
 * Between which blocks a nonce was used.
 * @returns `after` is the highest block at which it was not, undefined where no look tells; `to` the lowest at which it was.
 */
export function blocksOfNonce(
  looks: readonly StoredLook[],
  nonce: number,
): { readonly after: number | undefined; readonly to: number | undefined } {
  const before = looks.filter(([, count]) => count <= nonce).map(([block]) => block);
  const used = looks.filter(([, count]) => count > nonce).map(([block]) => block);
  return {
    after: before.length === 0 ? undefined : Math.max(0, Math.max(...before) - SLACK),
    to: used.length === 0 ? undefined : Math.min(...used) + SLACK,
  };
}
