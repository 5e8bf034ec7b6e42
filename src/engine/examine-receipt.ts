import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { probeReason } from './estimate.ts';
import { explainFailure } from './explain-failure.ts';
import { findForeignEffect } from './foreign-effect.ts';
import { calldataOf } from './job.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { NotNow, OrderRefused } from './order-kind.ts';
import type { Receipt } from './order-kind.ts';
import type { FoundReceipt } from './receipts.ts';
import type { End } from './settle.ts';

/** What a receipt says about its order, at any depth. */
export type ReceiptResult = { readonly effect: unknown } | { readonly failure: string };

/** Interprets the receipt of a job's attempt. A `cancel` never has the effect. */
export function interpretReceipt({ job, attempt, receipt }: FoundReceipt): ReceiptResult {
  if (attempt.purpose === 'cancel') return { failure: job.transaction.refusal ?? 'Cancelled' };
  if (receipt.status === 'reverted') return { failure: 'Reverted' };
  return job.kind.readReceipt(job.claim, receipt, calldataOf(job, attempt) ?? job.kind.call(job.claim).data);
}

/** The depth at which a receipt may end its order: `confirmations` for an effect, finality for a missing effect. */
export function requiredDepth(
  result: ReceiptResult,
  chain: { readonly confirmations: number; readonly finality: number },
): number {
  return 'effect' in result ? chain.confirmations : chain.finality;
}

/** @returns how a receipt of sufficient depth ends the job; undefined if that cannot be determined yet. */
export async function endByReceipt(
  context: LaneContext,
  found: FoundReceipt,
  result: ReceiptResult,
  head: ChainHead,
): Promise<End | undefined> {
  const { job, attempt, receipt } = found;
  const isFinal = head.number - receipt.blockNumber + 1 >= context.chain.finality;
  if ('effect' in result) return { job, result: 'confirmed', effect: result.effect, receipt, isFinal };
  const foreign = await findForeignEffect(context, job, head);
  if (foreign === 'later') return undefined;
  if (foreign !== undefined) return { job, result: 'confirmed', receipt, ...foreign };
  const isCancelled = attempt.purpose === 'cancel' && job.transaction.refusal === null;
  if (isCancelled) return { job, result: 'cancelled', reason: 'Cancelled', receipt };
  const reason =
    attempt.purpose === 'cancel' ? result.failure : await reasonOf(context, job, receipt, result.failure, head);
  return { job, result: 'failed', reason, receipt };
}

/** @returns how a job without a nonce ends; undefined if that cannot be determined yet. */
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

/** Why a mined transaction did not have its effect: replays the call at that block and lets the kind explain the result. Best effort. */
async function reasonOf(
  context: LaneContext,
  job: Job,
  receipt: Receipt,
  failure: string,
  head: ChainHead,
): Promise<string> {
  const reads = createChainReads(context.chain, head);
  const reason = receipt.status === 'success' ? failure : `Reverted: ${await replayReason(context, job, receipt)}`;
  return await explainFailure(context, job, reads, reason, receipt);
}

async function replayReason({ chain }: LaneContext, { kind, claim }: Job, receipt: Receipt): Promise<string> {
  const unknown = 'the transaction was mined and reverted; the node gives no reason';
  const reads = createChainReads(chain, { number: receipt.blockNumber, hash: receipt.blockHash });
  try {
    const call = kind.call(claim);
    const result = await reads.call({ from: claim.account.walletAddress, to: call.to, data: call.data });
    if (!('reverted' in result)) return unknown;
    return result.reason ?? (await probeReason(reads, call)) ?? unknown;
  } catch (error) {
    // A pruned node has no state for that block, and the order's data may have changed since it was signed.
    if (error instanceof NotNow || error instanceof OrderRefused) return unknown;
    throw error;
  }
}
