import { newId } from '../core/ids.ts';
import { feeOf } from '../platform/rates/fee.ts';
import type { ChainHead } from './chain-head.ts';
import { readBlockHashes } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { requiredDepth, interpretReceipt } from './examine-receipt.ts';
import type { Job } from './job.ts';
import type { LaneChain, LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import type { Receipt } from './order-kind.ts';
import { findReceipts } from './receipts.ts';
import { placeTransactions, reopenTransactions } from './store/under-way.ts';
import type { Placement } from './store/under-way.ts';

/** The block at which a confirmed transaction becomes final and is checked again. */
export function dueBlock({ transaction }: Job, finality: number): number {
  return (transaction.blockNumber ?? 0) + finality - 1;
}

/**
 * Rechecks transactions that were confirmed before their block was final. If a different block is now at that height and
 * the same transaction is mined in another block, the order gets the new block and its fee. Otherwise the order is
 * reopened, even if another attempt was mined instead: the reported transaction is no longer on chain.
 */
export async function recheckConfirmed(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  head: ChainHead,
): Promise<void> {
  const { services, chain, lane } = context;
  const due = state.notFinal.filter((job) => dueBlock(job, chain.finality) <= head.number);
  if (due.length === 0) return;
  const heights = new Set(due.map(({ transaction }) => transaction.blockNumber ?? 0));
  const hashes = await readBlockHashes(chain, [...heights], head);
  const placements: Placement[] = [];
  const reorganized: Job[] = [];
  for (const job of due) {
    const { blockNumber, blockHash, txHash } = job.transaction;
    if (blockNumber === null || blockHash === null || txHash === null) continue;
    const canonical = hashes.get(blockNumber);
    if (canonical === blockHash) placements.push({ job, txHash, blockNumber, blockHash, isFinal: true });
    else if (canonical !== undefined) reorganized.push(job);
  }
  const relocated = await relocate(context, reorganized, head);
  const now = new Date(services.clock.now());
  const moved = [...placements, ...relocated.placements];
  await placeTransactions(services.db, moved, now);
  for (const { job, blockNumber, blockHash, isFinal } of moved) {
    if (isFinal) state.remove(job.transaction.id);
    else state.put({ ...job, transaction: { ...job.transaction, blockNumber, blockHash } });
  }
  if (relocated.lost.length === 0) return;
  const reopened = await reopenTransactions(services.db, newId(now.getTime()), relocated.lost, now);
  services.log.error('block.reorganized', {
    ...lane,
    orders: relocated.lost.map(({ claim }) => claim.orderId),
    reopened: reopened.size,
  });
  for (const { transaction } of relocated.lost) memory.sendings.delete(transaction.id);
  // After the lane is read again, reopened transactions are sent, replaced and settled like any other.
  state.isOutdated = true;
}

async function relocate(
  { services, chain }: LaneContext,
  jobs: readonly Job[],
  head: ChainHead,
): Promise<{ readonly placements: readonly Placement[]; readonly lost: readonly Job[] }> {
  if (jobs.length === 0) return { placements: [], lost: [] };
  const found = await findReceipts(chain, jobs, head);
  const reads = createChainReads(chain, head);
  const rates = await services.rates.current(chain.nativeCoin.rateId);
  const placements: Placement[] = [];
  const lost: Job[] = [];
  for (const job of jobs) {
    const own = found.get(job);
    const isForeign = job.attempts.every(({ hash }) => hash !== job.transaction.txHash);
    // A third party's transaction had the effect: our own receipt, reverted by it, says nothing about that.
    const receipt =
      isForeign && job.transaction.txHash !== null ? await reads.receipt(job.transaction.txHash) : own?.receipt;
    // A node on another branch still has the old receipt, which says nothing.
    if (isForeign && receipt !== undefined && !(await isCanonical(chain, receipt, head))) continue;
    const result = isForeign || own === undefined ? undefined : interpretReceipt(own);
    const isSame = receipt?.transactionHash === job.transaction.txHash;
    const isMined = isSame && receipt?.status === 'success' && (result === undefined || 'effect' in result);
    const depth = receipt === undefined ? 0 : head.number - receipt.blockNumber + 1;
    if (receipt !== undefined && isMined && depth >= requiredDepth({ effect: null }, chain)) {
      const { transactionHash: txHash, blockNumber, blockHash } = receipt;
      const isFinal = depth >= chain.finality;
      const fee = isForeign ? undefined : feeOf(receipt.gasUsed, receipt.effectiveGasPrice, rates);
      placements.push({ job, txHash, blockNumber, blockHash, isFinal, fee });
    } else if (!isMined) {
      lost.push(job);
    }
  }
  return { placements, lost };
}

async function isCanonical(chain: LaneChain, { blockNumber, blockHash }: Receipt, head: ChainHead): Promise<boolean> {
  return (await readBlockHashes(chain, [blockNumber], head)).get(blockNumber) === blockHash;
}
