import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { probeReason } from './estimate.ts';
import { findForeignEffect } from './foreign-effect.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { NotNow, OrderRefused } from './order-kind.ts';
import type { Call, ChainReads, Receipt } from './order-kind.ts';
import type { Found } from './receipts.ts';
import type { End } from './settle.ts';

/** What a receipt shows of its order, whatever its depth. */
export type Shown = { readonly effect: unknown } | { readonly failure: string };

/** What the receipt of a job's attempt shows: a `cancel` never has the effect. */
export function shownBy({ job, attempt, receipt }: Found): Shown {
  if (attempt.purpose === 'cancel') return { failure: job.transaction.refusal ?? 'Cancelled' };
  if (receipt.status === 'reverted') return { failure: 'Reverted' };
  return job.kind.readReceipt(job.claim, receipt);
}

/** The depth at which a receipt may end its order: an effect counts at `confirmations`, its absence only when it is final. */
export function depthNeeded(
  shown: Shown,
  chain: { readonly confirmations: number; readonly finality: number },
): number {
  return 'effect' in shown ? chain.confirmations : chain.finality;
}

/** @returns how the job ends by a receipt that is deep enough; undefined when that cannot be known yet. */
export async function endByReceipt(
  context: LaneContext,
  found: Found,
  shown: Shown,
  head: ChainHead,
): Promise<End | undefined> {
  const { job, attempt, receipt } = found;
  const isFinal = head.number - receipt.blockNumber + 1 >= context.chain.finality;
  if ('effect' in shown) return { job, result: 'confirmed', effect: shown.effect, receipt, isFinal };
  const foreign = await findForeignEffect(context, job, head);
  if (foreign === 'later') return undefined;
  if (foreign !== undefined) return { job, result: 'confirmed', receipt, ...foreign };
  const isCancelled = attempt.purpose === 'cancel' && job.transaction.refusal === null;
  if (isCancelled) return { job, result: 'cancelled', reason: 'Cancelled', receipt };
  const reason =
    attempt.purpose === 'cancel' ? shown.failure : await reasonOf(context, job, receipt, shown.failure, head);
  return { job, result: 'failed', reason, receipt };
}

/** @returns how a job ends that has no nonce; undefined when that cannot be known yet. */
export async function endWithoutReceipt(
  context: LaneContext,
  { job, result, reason }: { readonly job: Job; readonly result: 'failed' | 'cancelled'; readonly reason: string },
  head: ChainHead,
): Promise<End | undefined> {
  const foreign = await findForeignEffect(context, job, head);
  if (foreign === 'later') return undefined;
  if (foreign !== undefined) return { job, result: 'confirmed', receipt: undefined, ...foreign };
  return { job, result, reason, receipt: undefined };
}

/** Why a mined transaction did not do what it was to do: what the kind can tell, or the same call at the block. Best effort. */
async function reasonOf(
  { services, chain }: LaneContext,
  job: Job,
  receipt: Receipt,
  failure: string,
  head: ChainHead,
): Promise<string> {
  const reads = createChainReads(chain.rpc, head.number);
  try {
    const explained = await job.kind.explain?.({ services, reads }, job.claim, receipt);
    if (explained !== undefined) return explained;
    if (receipt.status === 'success') return failure;
    const call = job.kind.call(job.claim);
    const reason = await replayReason(createChainReads(chain.rpc, receipt.blockNumber), job, call);
    return `Reverted: ${reason ?? 'the transaction was mined and failed; the node gives no reason'}`;
  } catch (error) {
    if (!(error instanceof NotNow) && !(error instanceof OrderRefused)) throw error;
    return receipt.status === 'success'
      ? failure
      : 'Reverted: the transaction was mined and failed; the node gives no reason';
  }
}

async function replayReason(reads: ChainReads, { claim }: Job, call: Call): Promise<string | undefined> {
  const result = await reads.call({ from: claim.account.walletAddress, to: call.to, data: call.data });
  if (!('reverted' in result)) return undefined;
  return result.reason ?? (await probeReason(reads, call));
}
