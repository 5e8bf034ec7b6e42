import { readHeads } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import { isPlausible, MAX_TRANSACTIONS_PER_BLOCK } from './head-observations.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneState } from './lane-state.ts';

/** A head so many blocks above the last observation must be confirmed. */
const MAX_UNCONFIRMED_BLOCKS = 10_000;
/** No chain produces blocks so many times faster than its block time. */
const MAX_SPEEDUP = 10;

/**
 * Whether a head may be acted on. If it is far ahead of what the lane knows, as every first head is, or counts transactions that the lane has not signed, more than
 * half of the nodes must confirm it, each read separately; a single node is read again. Otherwise one wrong reply could cause nonces to be assigned that can never be
 * mined, or make a block look deeper than it is.
 */
export async function isCredible(
  { chain, lane, services }: LaneContext,
  { observations, floor, held }: Pick<LaneState, 'observations' | 'floor' | 'held'>,
  head: ChainHead,
): Promise<boolean> {
  if (!isPlausible(observations, [head.number, head.count])) return false;
  const last = observations.at(-1);
  const isKnownCount = head.count <= Math.max(floor, last?.[1] ?? 0, ...Array.from(held, (nonce) => nonce + 1));
  if (last !== undefined && head.number - last[0] <= MAX_UNCONFIRMED_BLOCKS && isKnownCount) return true;
  const witnesses = await readHeads(chain.rpc, lane, () => services.clock.now());
  const confirming = witnesses.filter((witness) => confirms(witness, head, chain.blockTimeMs));
  return confirming.length * 2 > witnesses.length;
}

/** A witness may lag: the chain may have advanced since its block, as far as the time between the two blocks allows. */
function confirms(witness: ChainHead, head: ChainHead, blockTimeMs: number): boolean {
  const msSince = Math.max(0, head.timestamp - witness.timestamp) * 1_000;
  const blocksSince = Math.max(0, head.number - witness.number);
  return (
    blocksSince <= MAX_UNCONFIRMED_BLOCKS + (MAX_SPEEDUP * msSince) / blockTimeMs &&
    head.count <= witness.count + MAX_TRANSACTIONS_PER_BLOCK * blocksSince
  );
}
