import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { probeReason } from './estimate.ts';
import { findForeignEffect } from './foreign-effect.ts';
import { calldataOf } from './job.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { NotNow, OrderRefused } from './order-kind.ts';
import type { Receipt } from './order-kind.ts';
import type { Found } from './receipts.ts';
import type { End } from './settle.ts';

/** What a receipt shows of its order, whatever its depth. */
export type Shown = { readonly effect: unknown } | { readonly failure: string };

/** What the receipt of a job's attempt shows: a `cancel` never has the effect. */
export function shownBy({ job, attempt, receipt }: Found): Shown {
  if (attempt.purpose === 'cancel') return { failure: job.transaction.refusal ?? 'Cancelled' };
  if (receipt.status === 'reverted') return { failure: 'Reverted' };
  return job.kind.readReceipt(job.claim, receipt, calldataOf(job, attempt) ?? job.kind.call(job.claim).data);
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

/** Why a mined transaction did not do what it was to do: the same call at the block says it, and the kind explains it. Best effort. */
async function reasonOf(
  context: LaneContext,
  job: Job,
  receipt: Receipt,
  failure: string,
  head: ChainHead,
): Promise<string> {
  const { services, chain } = context;
  const reads = createChainReads(chain.rpc, head.number);
  const reason = receipt.status === 'success' ? failure : `Reverted: ${await replayReason(context, job, receipt)}`;
  try {
    return (await job.kind.explain?.({ services, reads }, job.claim, reason, receipt)) ?? reason;
  } catch (error) {
    if (error instanceof NotNow) return reason;
    throw error;
  }
}

async function replayReason({ chain }: LaneContext, { kind, claim }: Job, receipt: Receipt): Promise<string> {
  const unknown = 'the transaction was mined and failed; the node gives no reason';
  const reads = createChainReads(chain.rpc, receipt.blockNumber);
  try {
    const call = kind.call(claim);
    const result = await reads.call({ from: claim.account.walletAddress, to: call.to, data: call.data });
    if (!('reverted' in result)) return unknown;
    return result.reason ?? (await probeReason(reads, call)) ?? unknown;
  } catch (error) {
    // A pruned node has no state of that block; and what was right when the call was signed need not be so now.
    if (error instanceof NotNow || error instanceof OrderRefused) return unknown;
    throw error;
  }
}
