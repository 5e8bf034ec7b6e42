import { readHeads, type ChainHead } from './chain-head.ts';
import type { Driver } from './driver.ts';
import { recheckSince } from './finality.ts';
import { freeNonces } from './free-nonces.ts';
import { fillNonces } from './store/bundles.ts';
import { MAX_SIGNED } from './store/read-lane.ts';
import { ownerOfNonce } from './store/under-way.ts';

/** A gap that only a lagging node reports closes within this time. */
const GRACE_MS = 5_000;

/**
 * Closes a nonce gap: a nonce below everything in flight that is neither mined nor in flight. If a transaction owns it,
 * even an ended one or one of a kind that this version does not know, its stored bytes are sent again, and what was
 * confirmed in a block that the chain has left is reopened, since they may offer too little by now; otherwise an
 * empty bundle is stored, unless the gap is so wide that only a false count can have made it.
 * @param mayFill False: a waiting order is about to use the nonce if it is free.
 */
export async function fillGaps(driver: Driver, head: ChainHead, mayFill: boolean): Promise<void> {
  const { services, lane, chain, kinds } = driver;
  const { gap: stopwatch } = driver.memory;
  const lowest = driver.inFlight.find(({ transaction }) => transaction.nonce >= head.count);
  // A node that lags behind what was observed says nothing about what is mined.
  const isLagging = driver.observations.some(([block]) => block > head.number);
  if (isLagging || lowest === undefined || lowest.transaction.nonce === head.count) {
    stopwatch.stop();
    return;
  }
  stopwatch.start(head.readAt);
  if (stopwatch.elapsed(head.readAt) < GRACE_MS) return;
  stopwatch.stop();
  const owner = await ownerOfNonce(services.db, lane, head.count);
  services.log.warn('lane.gap', { ...lane, nonce: head.count, owner: owner?.id ?? null });
  if (owner === undefined) {
    if (!mayFill) return;
    const gap = freeNonces(head.count, driver.held, MAX_SIGNED + 1).filter((nonce) => nonce < lowest.transaction.nonce);
    // Each costs gas, so one node's word is not enough if there are others, and a false count costs no more than
    // that of a full lane.
    if (gap.length > MAX_SIGNED) return;
    const witnesses = await readHeads(chain.rpc, lane, () => services.clock.now());
    if (witnesses.filter(({ count }) => count <= head.count).length * 2 <= witnesses.length) return;
    const missing = Math.min(gap.length, driver.window.size);
    const unused = { first: head.count, accountId: lowest.claim.account.id, missing };
    await fillNonces(services.db, lane, unused, new Date(services.clock.now()));
    driver.markOutdated();
    return;
  }
  if (owner.state === 'signed' && kinds.has(owner.kind)) {
    driver.markOutdated();
    return;
  }
  if (owner.state === 'confirmed' && owner.blockNumber !== null) await recheckSince(driver, owner.blockNumber, head);
  if (owner.raw !== '0x' && driver.maySend) {
    // Of each: the first one may be what keeps it from being mined.
    await chain.rpc.requestOfEach([{ method: 'eth_sendRawTransaction', params: [owner.raw] }], driver.endOfSending());
  }
}
