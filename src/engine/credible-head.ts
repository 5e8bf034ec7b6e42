import { readHeads } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneState } from './lane-state.ts';
import { isPlausible, MAX_TRANSACTIONS_PER_BLOCK } from './head-observations.ts';

/** A head this many blocks above the last observation needs witnesses. */
const LEAP = 10_000;
/** The most by which a chain may be faster than its block time. */
const MAX_SPEED = 10;

/**
 * Whether the driver may act on a head. A head far ahead of the last observation, as every first one is, or with a count above what the lane has signed, must
 * agree with more than half of the nodes, each queried separately; a single node is queried twice. Otherwise one false reply could reserve nonces that are never
 * reached, or make shallow blocks count as deep.
 */
export async function isCredible(
  { chain, lane, services }: LaneContext,
  { observations, floor, held }: Pick<LaneState, 'observations' | 'floor' | 'held'>,
  head: ChainHead,
): Promise<boolean> {
  if (!isPlausible(observations, [head.number, head.count])) return false;
  const last = observations.at(-1);
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
    blocksSince <= LEAP + (MAX_SPEED * msSince) / blockTimeMs &&
    head.count <= witness.count + MAX_TRANSACTIONS_PER_BLOCK * blocksSince
  );
}
