import type { ChainHead } from './chain-head.ts';
import { gaps } from './free-nonces.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { insertFillers } from './store/fillers.ts';
import { ownerOfNonce } from './store/under-way.ts';

/** A gap that a lagging node shows is gone after so long. */
const PATIENCE_MS = 5_000;

/**
 * A nonce that must be mined before everything that is in flight, and that is not itself in flight: where a
 * transaction owns it, ended or not, its stored bytes are sent again; where none does, and no order waits that could
 * use it, a filler is stored.
 */
export async function fillGaps(
  { services, lane, chain }: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  head: ChainHead,
): Promise<void> {
  const [lowest] = state.inFlight;
  const isGap = lowest !== undefined && head.count < lowest.transaction.nonce;
  if (!isGap || lowest === undefined) {
    memory.gapSince = undefined;
    return;
  }
  memory.gapSince ??= head.readAt;
  if (head.readAt - memory.gapSince < PATIENCE_MS) return;
  memory.gapSince = undefined;
  const owner = await ownerOfNonce(services.db, lane, head.count);
  services.log.warn('lane.gap', { ...lane, nonce: head.count, owner: owner?.id ?? null });
  if (owner === undefined) {
    const nonces = state.inFlight.map(({ transaction }) => transaction.nonce);
    const missing = gaps(head.count, state.held, nonces).length;
    await insertFillers(services.db, lane, lowest.claim.account.id, missing, new Date(services.clock.now()));
    state.isOutdated = true;
  } else if (owner.state === 'signed') {
    state.isOutdated = true;
  } else if (owner.raw !== null) {
    await chain.rpc.request([{ method: 'eth_sendRawTransaction', params: [owner.raw] }]);
  }
}
