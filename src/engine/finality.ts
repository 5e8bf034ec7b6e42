import { newId } from '../core/ids.ts';
import { feeOf } from '../platform/rates/fee.ts';
import type { ChainHead } from './chain-head.ts';
import { readBlockHashes } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { depthNeeded, shownBy } from './examine-receipt.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { findReceipts } from './receipts.ts';
import { placeTransactions, reopenTransactions } from './store/under-way.ts';
import type { Placement } from './store/under-way.ts';

/** The block after which a confirmed transaction is looked at once more. */
export function dueBlock({ transaction }: Job, finality: number): number {
  return (transaction.blockNumber ?? 0) + finality - 1;
}

/**
 * Looks once more at what was confirmed before its block was final. Where another block stands at that height now, a
 * receipt of the same transaction elsewhere moves it, and its order gets the fee of its new place; without one its order
 * is under way again, also where another attempt is mined instead: its end named a transaction that is not on chain.
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
  const gone: Job[] = [];
  for (const job of due) {
    const { blockNumber, blockHash, txHash } = job.transaction;
    if (blockNumber === null || blockHash === null || txHash === null) continue;
    const standing = hashes.get(blockNumber);
    if (standing === blockHash) placements.push({ job, txHash, blockNumber, blockHash, isFinal: true });
    else if (standing !== undefined) gone.push(job);
  }
  const elsewhere = await placesOf(context, gone, head);
  const now = new Date(services.clock.now());
  const moved = [...placements, ...elsewhere.placements];
  await placeTransactions(services.db, moved, now);
  for (const { job, blockNumber, blockHash, isFinal } of moved) {
    if (isFinal) state.remove(job.transaction.id);
    else state.put({ ...job, transaction: { ...job.transaction, blockNumber, blockHash } });
  }
  if (elsewhere.lost.length === 0) return;
  const reopened = await reopenTransactions(services.db, newId(now.getTime()), elsewhere.lost, now);
  services.log.error('block.reorganized', {
    ...lane,
    orders: elsewhere.lost.map(({ claim }) => claim.orderId),
    reopened: reopened.size,
  });
  for (const { transaction } of elsewhere.lost) memory.sendings.delete(transaction.id);
  // Read again: what is signed once more is sent, replaced and settled as any other.
  state.isOutdated = true;
}

async function placesOf(
  { services, chain }: LaneContext,
  jobs: readonly Job[],
  head: ChainHead,
): Promise<{ readonly placements: readonly Placement[]; readonly lost: readonly Job[] }> {
  if (jobs.length === 0) return { placements: [], lost: [] };
  const found = await findReceipts(chain, jobs, head);
  const reads = createChainReads(chain.rpc, head.number);
  const rates = await services.rates.current(chain.nativeCoin.rateId);
  const placements: Placement[] = [];
  const lost: Job[] = [];
  for (const job of jobs) {
    const own = found.get(job);
    const isForeign = job.attempts.every(({ hash }) => hash !== job.transaction.txHash);
    const receipt =
      own?.receipt ??
      (isForeign && job.transaction.txHash !== null ? await reads.receipt(job.transaction.txHash) : undefined);
    const shown = own === undefined ? undefined : shownBy(own);
    const isSame = receipt?.transactionHash === job.transaction.txHash;
    const stands = isSame && receipt?.status === 'success' && (shown === undefined || 'effect' in shown);
    const depth = receipt === undefined ? 0 : head.number - receipt.blockNumber + 1;
    if (receipt !== undefined && stands && depth >= depthNeeded({ effect: null }, chain)) {
      const { transactionHash: txHash, blockNumber, blockHash } = receipt;
      const isFinal = depth >= chain.finality;
      const fee = own && feeOf(receipt.gasUsed, receipt.effectiveGasPrice, rates);
      placements.push({ job, txHash, blockNumber, blockHash, isFinal, fee });
    } else if (!stands) {
      lost.push(job);
    }
  }
  return { placements, lost };
}
