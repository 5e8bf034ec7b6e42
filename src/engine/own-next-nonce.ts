import { isMost } from '../chains/votes.ts';
import { namelessBundle } from './bundles.ts';
import { readHeads, type ChainHead } from './chain-head.ts';
import type { Driver } from './driver.ts';
import { offerAt, TRANSFER_GAS } from './fees.ts';
import { recheckSince } from './finality.ts';
import type { SignedJob } from './job.ts';
import { KEY_PAUSE_MS, laneSigner } from './lane-signer.ts';
import { NotNow } from './order-kind.ts';
import { send } from './send.ts';
import { signFirst, storeSigned } from './sign.ts';
import { MAX_SIGNED } from './store/read-lane.ts';
import { isNoncePast, ownerOfNonce } from './store/under-way.ts';

/** A shorter gap is a lagging node's. */
const GRACE_MS = 5_000;

/**
 * Gives the chain the nonce that it wants next, where higher ones are signed and nothing in flight has it. What the
 * database has for it is sent again, even if it has ended or is of a kind that this version does not know; what was
 * confirmed in a block that the chain has left is reopened, since it may offer too little by now. Where the database has
 * nothing, fillers use up the nonces below.
 */
export async function ownNextNonce(driver: Driver, head: ChainHead): Promise<void> {
  const { services, lane, chain, kinds } = driver;
  const { gap } = driver.memory;
  const lowest = driver.inFlight.find(({ transaction }) => transaction.nonce >= head.count);
  // A node that lags behind what was observed, or read in a final block, says nothing about what is mined.
  const isLagging = driver.floor > head.count || driver.observations.some(([block]) => block > head.number);
  if (isLagging || lowest === undefined || lowest.transaction.nonce === head.count) return gap.stop();
  gap.start(head.readAt);
  if (gap.elapsed(head.readAt) < GRACE_MS) return;
  gap.stop();
  const owner = await ownerOfNonce(services.db, lane, head.count);
  services.log.warn('lane.gap', { ...lane, nonce: head.count, owner: owner?.id ?? null });
  if (owner === undefined) return await fill(driver, lowest, head);
  if (owner.state === 'signed' && kinds.has(owner.kind)) return driver.markOutdated();
  if (owner.state === 'confirmed' && owner.blockNumber !== null) await recheckSince(driver, owner.blockNumber, head);
  if (owner.raw !== '0x' && driver.maySend) {
    // Ask every node: the first one may be what keeps the transaction from being mined.
    await chain.rpc.requestOfEach([{ method: 'eth_sendRawTransaction', params: [owner.raw] }], driver.endOfSending());
  }
  return undefined;
}

/**
 * Signs transfers of nothing from the wallet to itself with the nonces from the one that the chain wants next. They cost
 * gas, so one node's word is not enough if there are others, and a false count costs no more than that of a full lane.
 * @param behind The lowest that waits for them.
 */
async function fill(driver: Driver, behind: SignedJob, head: ChainHead): Promise<void> {
  const { services, lane, chain, memory } = driver;
  const { clock, db } = services;
  const { nonce: end } = behind.transaction;
  const offer = offerAt(head, chain);
  const isWide = end - head.count > MAX_SIGNED;
  if (isWide || offer === undefined || driver.doubt !== undefined || !driver.maySend) return;
  if (clock.now() < memory.retryAt('key') || (await isNoncePast(db, lane, head.count))) return;
  const witnesses = await readHeads(chain.rpc, lane, () => clock.now());
  if (!isMost(witnesses.filter(({ count }) => count <= head.count).length, witnesses.length)) return;
  const createdAt = new Date(clock.now());
  // Nonces with which orders are being signed are taken.
  const nonces = driver.takeNonces(chain.window, head.count, end);
  try {
    const signer = await laneSigner(driver, behind.claim.account);
    const fillers = nonces.map(() => {
      const job = namelessBundle(behind, createdAt);
      return { jobs: [job], isBundle: false, call: job.kind.call(job.claim), gas: TRANSFER_GAS, signer, offer };
    });
    const { attempts, failed } = await signFirst(lane.chainId, fillers, nonces, createdAt);
    if (failed.length > 0) memory.retryLater('key', clock.now() + KEY_PAUSE_MS);
    await send(driver, await storeSigned(driver, 'waiting', attempts));
  } catch (error) {
    if (!(error instanceof NotNow)) throw error;
    memory.retryLater('key', clock.now() + KEY_PAUSE_MS);
  } finally {
    driver.returnNonces(nonces);
  }
}
