import { readHeads } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import { gaps } from './free-nonces.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { insertFillers } from './store/fillers.ts';
import { ownerOfNonce } from './store/under-way.ts';

/** A gap that only a lagging node reports closes within this time. */
const GRACE_MS = 5_000;

/**
 * Closes a nonce gap: a nonce below everything in flight that is neither mined nor in flight. If a transaction owns it,
 * even an ended one, its stored bytes are sent again; otherwise a filler is stored. The caller makes sure that no
 * waiting order is about to use the nonce.
 */
export async function fillGaps(
  { services, lane, chain }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  head: ChainHead,
): Promise<void> {
  const [lowest] = state.inFlight;
  // A node that lags behind what was observed says nothing about what is mined.
  const isLagging = state.observations.some(([block]) => block > head.number);
  const isGap = !isLagging && lowest !== undefined && head.count < lowest.transaction.nonce;
  if (!isGap || lowest === undefined) {
    memory.gapSince = undefined;
    return;
  }
  memory.gapSince ??= head.readAt;
  if (head.readAt - memory.gapSince < GRACE_MS) return;
  memory.gapSince = undefined;
  const owner = await ownerOfNonce(services.db, lane, head.count);
  services.log.warn('lane.gap', { ...lane, nonce: head.count, owner: owner?.id ?? null });
  if (owner === undefined) {
    // Each filler costs gas, so one node's word is not enough if there are others, and a false one costs no more than a window.
    const witnesses = await readHeads(chain.rpc, lane, () => services.clock.now());
    if (witnesses.filter(({ count }) => count <= head.count).length * 2 <= witnesses.length) return;
    const nonces = state.inFlight.map(({ transaction }) => transaction.nonce);
    const missing = Math.min(gaps(head.count, state.held, nonces).length, state.window.size);
    const gap = { first: head.count, accountId: lowest.claim.account.id, missing };
    await insertFillers(services.db, lane, gap, new Date(services.clock.now()));
    state.isOutdated = true;
  } else if (owner.state === 'signed') {
    state.isOutdated = true;
  } else if (owner.raw !== null) {
    await chain.rpc.request([{ method: 'eth_sendRawTransaction', params: [owner.raw] }]);
  }
}
