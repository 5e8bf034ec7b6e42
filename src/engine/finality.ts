import type { Hex } from 'viem';
import type { Receipt } from '../chains/rpc-values.ts';
import { newId } from '../core/record-id.ts';
import { feeOf } from '../platform/rates/fee.ts';
import { readBlockHashes, type ChainHead } from './chain-head.ts';
import { agreedByMost, areAbsentForMost } from './majority.ts';
import { createChainReads } from './chain-reads.ts';
import { effectAt, findReceipts, interpretReceipt } from './receipts.ts';
import { namesOf, type Job } from './job.ts';
import { NotNow, type ChainReads } from './order-kind.ts';
import type { LaneContext } from './lane-context.ts';
import type { Driver } from './driver.ts';
import { gasOf } from './settle.ts';
import { MAX_DUE, readConfirmedSince, readDueAtFinality } from './store/read-lane.ts';
import { placeTransactions, reopenTransactions, type Placement } from './store/under-way.ts';

/** How long to wait before confirmed transactions that could not be checked are read again. */
const RECHECK_MS = 5_000;

/**
 * Rechecks transactions that were confirmed before their block was final. If a different block is now at that height
 * and the same transaction is mined in another block, the order gets the new block and its fee. Otherwise the order is
 * reopened, even if another attempt was mined instead: the reported transaction is no longer on chain.
 */
export async function recheckConfirmed(driver: Driver, head: ChainHead): Promise<void> {
  const { services, chain, lane, kinds, memory } = driver;
  if (driver.nextFinalAt > head.number || head.readAt < memory.retryAt('finality')) return;
  driver.noteChecking();
  const due = await readDueAtFinality(services.db, kinds, lane, head.number - chain.finality + 1);
  const placed = due.jobs.flatMap(placedOf);
  const hashes = await readBlockHashes(chain, placed, head);
  const kept = await agreed(
    chain,
    placed.filter(({ blockNumber, blockHash }) => hashes.get(blockNumber) === blockHash),
  );
  await placeTransactions(services.db, kept, new Date(services.clock.now()));
  const { placements, lost } = await settleReorganized(driver, goneFrom(placed, hashes), head);
  const moved = [...kept, ...placements];
  const isLeft = moved.length + lost.length < due.jobs.length;
  if (isLeft) memory.retryLater('finality', services.clock.now() + RECHECK_MS);
  const again = isLeft || due.jobs.length === MAX_DUE ? placed : moved.filter(({ isFinal }) => !isFinal);
  driver.noteConfirmed(Math.min(due.next ?? Infinity, ...again.map(({ blockNumber }) => blockNumber)));
  driver.noteChecked();
}

/**
 * Rechecks the transactions confirmed in a block and after it, before they are final, because the chain wants a nonce
 * again that was used there. Reorganized transactions would otherwise wait for their finality, and block all behind
 * them.
 */
export async function recheckSince(driver: Driver, blockNumber: number, head: ChainHead): Promise<void> {
  const { services, chain, lane, kinds } = driver;
  const placed = (await readConfirmedSince(services.db, kinds, lane, blockNumber)).flatMap(placedOf);
  await settleReorganized(driver, goneFrom(placed, await readBlockHashes(chain, placed, head)), head);
}

/** Where a confirmed transaction was mined, as far as the database knows. */
function placedOf(job: Job): Placement[] {
  const { blockNumber, blockHash, txHash } = job.transaction;
  if (blockNumber === null || blockHash === null || txHash === null) return [];
  return [{ job, txHash, blockNumber, blockHash, isFinal: true }];
}

/** The jobs whose block is not on the head's branch. */
function goneFrom(placed: readonly Placement[], hashes: ReadonlyMap<number, Hex>): readonly Job[] {
  return placed
    .filter(({ blockNumber, blockHash }) => ![undefined, blockHash].includes(hashes.get(blockNumber)))
    .map(({ job }) => job);
}

/**
 * Stores where transactions of reorganized blocks are now, and reopens those that are nowhere.
 * @returns both; those of which that is not known are in neither list.
 */
async function settleReorganized(driver: Driver, gone: readonly Job[], head: ChainHead) {
  const { services, chain, lane, memory } = driver;
  const { placements: found, lost } = await relocate(driver, gone, head);
  const placements = await agreed(chain, found);
  const now = new Date(services.clock.now());
  await placeTransactions(services.db, placements, now);
  if (lost.length === 0) return { placements, lost };
  const reopened = await reopenTransactions(services.db, newId(now.getTime()), lost, chain.finality, now);
  services.log.error('block.reorganized', {
    ...lane,
    orders: lost.map(({ claim }) => claim.orderId),
    reopened: reopened.size,
  });
  for (const { transaction } of lost) memory.tracked.recordSending(transaction.id, undefined);
  // After the lane is read again, reopened transactions are sent, replaced and settled like any other.
  driver.markOutdated();
  return { placements, lost };
}

type Placed = Placement & { readonly receipt?: Receipt };

/** The placements that are as deep for most nodes as at the head. */
function agreed(chain: LaneContext['chain'], placements: readonly Placed[]): Promise<readonly Placement[]> {
  const depth = ({ isFinal }: Placement) => (isFinal ? chain.finality : chain.confirmations);
  return agreedByMost(
    chain,
    placements.map((one) => ({ ...one, hash: one.txHash, depth: depth(one) })),
  );
}

/** Finds where the transactions of reorganized blocks are now. Those whose place is unknown are in neither list. */
async function relocate(
  context: LaneContext,
  jobs: readonly Job[],
  head: ChainHead,
): Promise<{ readonly placements: readonly Placed[]; readonly lost: readonly Job[] }> {
  if (jobs.length === 0) return { placements: [], lost: [] };
  const { services, chain } = context;
  // Every one, of each node: an order whose receipt is not found is reopened.
  const found = await findReceipts(chain, jobs, head, Infinity, () => true);
  const reads = createChainReads(chain, head);
  const rates = await services.rates.current(chain.nativeCoin.rateId);
  const placements: Placed[] = [];
  const lost: Job[] = [];
  // What a bundle carries has the same attempts.
  const absent = new Map<string, Promise<boolean>>();
  const isAbsent = (hashes: readonly Hex[]) => {
    const key = hashes.join();
    const known = absent.get(key) ?? areAbsentForMost(chain, hashes);
    absent.set(key, known);
    return known;
  };
  for (const job of jobs) {
    const own = found.get(job);
    const isForeign = job.attempts.every(({ hash }) => hash !== job.transaction.txHash);
    // A third party's transaction had the effect: our own receipt, reverted by it, says nothing about that.
    const receipt = isForeign ? await foreignReceipt(reads, job) : own?.receipt;
    const hashesOfJob = isForeign ? [job.transaction.txHash ?? '0x'] : job.attempts.map(({ hash }) => hash);
    if (receipt === 'later' || (receipt === undefined && !(await isAbsent(hashesOfJob)))) continue;
    // A node on another branch still has the old receipt, which says nothing.
    if (isForeign && receipt !== undefined) {
      const { blockNumber, blockHash } = receipt;
      if ((await readBlockHashes(chain, [receipt], head)).get(blockNumber) !== blockHash) continue;
    }
    const isSame = receipt?.transactionHash === job.transaction.txHash;
    const hasEffect =
      isForeign && receipt !== undefined
        ? await hasForeignEffect(context, job, receipt, head)
        : own !== undefined && 'effect' in interpretReceipt(own);
    if (hasEffect === 'later') continue;
    const isMined = isSame && receipt?.status === 'success' && hasEffect;
    const depth = receipt === undefined ? 0 : head.number - receipt.blockNumber + 1;
    if (receipt !== undefined && isMined && depth >= chain.confirmations) {
      const { transactionHash: txHash, blockNumber, blockHash } = receipt;
      const isFinal = depth >= chain.finality;
      const fee = isForeign ? undefined : feeOf(gasOf(job, receipt), receipt.effectiveGasPrice, rates);
      placements.push({ job, txHash, blockNumber, blockHash, isFinal, fee, receipt });
    } else if (!isMined) {
      lost.push(job);
    }
  }
  return { placements, lost };
}

/**
 * Whether a third party's transaction has the job's effect in the block in which it is now. In another state the effect
 * may fail, although the transaction as a whole succeeds.
 */
async function hasForeignEffect(
  context: LaneContext,
  job: Job,
  receipt: Receipt,
  head: ChainHead,
): Promise<boolean | 'later'> {
  const attempt = job.earlier.find(({ hash }) => hash === receipt.transactionHash);
  try {
    if (attempt !== undefined) return 'effect' in interpretReceipt({ job, attempt, receipt });
    const foreign = await effectAt(context, job, head);
    return foreign === 'later' ? foreign : foreign?.inclusion?.txHash === receipt.transactionHash;
  } catch (error) {
    // An order that cannot be read must not affect the others.
    context.services.log.error('order.not_read', { ...namesOf(job), error });
    return 'later';
  }
}

async function foreignReceipt(reads: ChainReads, { transaction: { txHash } }: Job) {
  try {
    return txHash === null ? undefined : await reads.receipt(txHash);
  } catch (error) {
    if (error instanceof NotNow) return 'later';
    throw error;
  }
}
