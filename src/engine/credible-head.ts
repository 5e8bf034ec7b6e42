import { readHeads } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneState } from './lane-state.ts';
import { isPlausible, MOST_IN_BLOCK } from './looks.ts';

/** A head so many blocks above the last look needs witnesses. */
const LEAP = 10_000;
/** No chain makes blocks so many times faster than its block time says. */
const MOST_SPEED = 10;

/**
 * Whether a head may be acted on. One that is far ahead of what the lane knows, as every first one is, or that counts transactions which the lane has not signed,
 * must agree with what more than half of the nodes say, each asked by itself; where there is one node, with what it says when it is asked again. Otherwise one lie
 * would have nonces handed out that never come up, or blocks count as deep that are not.
 */
export async function isCredible(
  { chain, lane, services }: LaneContext,
  { looks, floor, held }: Pick<LaneState, 'looks' | 'floor' | 'held'>,
  head: ChainHead,
): Promise<boolean> {
  if (!isPlausible(looks, [head.number, head.count])) return false;
  const last = looks.at(-1);
  const isKnownCount = head.count <= Math.max(floor, last?.[1] ?? 0, ...Array.from(held, (nonce) => nonce + 1));
  if (last !== undefined && head.number - last[0] <= LEAP && isKnownCount) return true;
  const witnesses = await readHeads(chain.rpc, lane, () => services.clock.now());
  const agreeing = witnesses.filter((witness) => agrees(witness, head, chain.blockTimeMs));
  return agreeing.length * 2 > witnesses.length;
}

/** A witness may lag: the chain has come further since its block, as far as the time between the two blocks allows. */
function agrees(witness: ChainHead, head: ChainHead, blockTimeMs: number): boolean {
  const msSince = Math.max(0, head.timestamp - witness.timestamp) * 1_000;
  const blocksSince = Math.max(0, head.number - witness.number);
  return (
    blocksSince <= LEAP + (MOST_SPEED * msSince) / blockTimeMs &&
    head.count <= witness.count + MOST_IN_BLOCK * blocksSince
  );
}
