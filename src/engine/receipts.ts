import type { Hex } from 'viem';
import type { RpcCall, RpcReply } from '../chains/rpc-exchange.ts';
import { receiptOf, type Receipt } from '../chains/rpc-values.ts';
import { lackingBlock } from './evidence.ts';
import { agreedByMost, mostFrequentReplies } from './majority.ts';
import { readBlockHashes, type ChainHead } from './chain-head.ts';
import { calldataOf, type AttemptRow, type Job } from './job.ts';
import { kindContextOf, type LaneChain, type LaneContext } from './lane-context.ts';
import type { EffectWithoutLog, LaneMemory } from './lane-memory.ts';
import { createChainReads } from './chain-reads.ts';
import { explainFailure, probeReason } from './estimate.ts';
import { NotNow, OrderRefused, type ForeignEffect } from './order-kind.ts';
import type { End } from './settle.ts';
import { findAttemptOwners } from './store/under-way.ts';

/** The receipt of one of a job's attempts, in a canonical block. */
export interface FoundReceipt {
  readonly job: Job;
  readonly attempt: AttemptRow;
  readonly receipt: Receipt;
}

/** How many receipts that the first node does not return are asked of each node at a time. */
const MAX_ASKED_OF_EACH = 20;

/**
 * Fetches the receipts of all attempts of the given jobs. A receipt counts only for the hash that it names, and only if
 * its block is the canonical block at that height. Those that the first node does not have are asked of each, others
 * with each block: of three nodes or more, most must have the same.
 * @param askedOfEach How many; what is found for none of the attempts of the others says nothing.
 * @param isDisputed Whose receipts are asked of each node whatever the first one has, if there are three or more.
 */
export async function findReceipts(
  chain: Pick<LaneChain, 'rpc' | 'finality'>,
  jobs: readonly Job[],
  head: ChainHead,
  askedOfEach = MAX_ASKED_OF_EACH,
  isDisputed: (job: Job) => boolean = () => false,
): Promise<ReadonlyMap<Job, FoundReceipt>> {
  const { rpc } = chain;
  const requests = jobs.flatMap((job) => job.attempts.map((attempt) => ({ job, attempt })));
  const undisputed = rpc.providers < 3 ? requests : requests.filter(({ job }) => !isDisputed(job));
  const first = hashesOf(undisputed);
  const found = await canonicalReceipts(chain, undisputed, first, [await rpc.requestInParallel(callsOf(first))], head);
  const open = requests.filter(({ job }) => !found.has(job));
  if (open.length === 0 || rpc.providers === 1) return found;
  const all = hashesOf(open);
  const start = all.length > askedOfEach ? (head.number * askedOfEach) % all.length : 0;
  const missing = [...all.slice(start), ...all.slice(0, start)].slice(0, askedOfEach);
  const each = await rpc.requestOfEach(callsOf(missing));
  const replies = rpc.providers < 3 ? each : [mostFrequentReplies(callsOf(missing), each)];
  return new Map([...found, ...(await canonicalReceipts(chain, open, missing, replies, head))]);
}

type ReceiptRequest = Omit<FoundReceipt, 'receipt'>;

/** The hashes of the attempts, without repetition: orders of a bundle share its attempts. */
function hashesOf(requests: readonly ReceiptRequest[]): readonly Hex[] {
  return [...new Set(requests.map(({ attempt }) => attempt.hash))];
}

function callsOf(hashes: readonly Hex[]): RpcCall[] {
  return hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
}

/** @param hashes The requested receipts. @param replies The replies of each node. */
async function canonicalReceipts(
  chain: Pick<LaneChain, 'rpc' | 'finality'>,
  requests: readonly ReceiptRequest[],
  hashes: readonly Hex[],
  replies: readonly (readonly RpcReply[])[],
  head: ChainHead,
): Promise<Map<Job, FoundReceipt>> {
  const matching = replies.flatMap((each) => {
    const receipts = new Map(hashes.map((hash, index) => [hash, receiptOf(each[index], hash)]));
    return requests.flatMap(({ job, attempt }) => {
      const receipt = receipts.get(attempt.hash);
      // A receipt of a block above the head might have to be waited for for ever.
      if (receipt === undefined || receipt.blockNumber > head.number) return [];
      return [{ job, attempt, receipt: withinOffer(receipt, attempt) }];
    });
  });
  const blocks = matching.map(({ receipt }) => receipt);
  const canonicalHashes = await readBlockHashes(chain, blocks, head);
  const canonical = matching.filter(({ receipt }) => canonicalHashes.get(receipt.blockNumber) === receipt.blockHash);
  return new Map(canonical.map((found) => [found.job, found]));
}

/** No transaction uses more gas than it may, nor pays more for it than it offers, whatever a node reports. */
export function withinOffer(receipt: Receipt, { gas, maxFeePerGas }: AttemptRow): Receipt {
  const [mostGas, mostFee] = [BigInt(gas), BigInt(maxFeePerGas)];
  return {
    ...receipt,
    gasUsed: receipt.gasUsed < mostGas ? receipt.gasUsed : mostGas,
    effectiveGasPrice: receipt.effectiveGasPrice < mostFee ? receipt.effectiveGasPrice : mostFee,
  };
}

/** What a receipt says about its order, at any depth. */
export type ReceiptResult = { readonly effect: unknown } | { readonly failure: string };

/** Interprets the receipt of a job's attempt. A `cancel` never has the effect. */
export function interpretReceipt({ job, attempt, receipt }: FoundReceipt): ReceiptResult {
  if (attempt.purpose === 'cancel') return { failure: job.transaction.refusal ?? 'Cancelled' };
  if (receipt.status === 'reverted') return { failure: 'Reverted' };
  return job.kind.readReceipt(job.claim, receipt, () => calldataOf(attempt));
}

/**
 * The lowest head at which a receipt may end its order: `confirmations` deep for an effect, final for a missing effect.
 */
export function deepEnoughAt(
  { receipt }: Pick<FoundReceipt, 'receipt'>,
  result: ReceiptResult,
  { confirmations, finality }: { readonly confirmations: number; readonly finality: number },
): number {
  return receipt.blockNumber + ('effect' in result ? confirmations : finality) - 1;
}

/** The dependencies of an end, and what the lane remembers for it. */
type EndContext = LaneContext & { readonly memory: Pick<LaneMemory, 'effectsWithoutLog'> };

/** @returns how a receipt ends the job; undefined if it is not deep enough, or that cannot be determined yet. */
export async function endByReceipt(
  context: EndContext,
  found: FoundReceipt,
  result: ReceiptResult,
  head: ChainHead,
): Promise<End | undefined> {
  const { job, attempt, receipt } = found;
  if (head.number < deepEnoughAt(found, result, context.chain)) {
    // An effect without a log is final soon after the receipt if it is recorded now.
    if ('failure' in result) await findForeignEffect(context, job, head);
    return undefined;
  }
  const isFinal = head.number - receipt.blockNumber + 1 >= context.chain.finality;
  if ('effect' in result) return { job, result: 'confirmed', effect: result.effect, receipt, isFinal };
  const foreign = await findForeignEffect(context, job, head);
  if (foreign === 'later') return undefined;
  if (foreign !== undefined) return { job, result: 'confirmed', receipt, ...foreign };
  const isCancelled = attempt.purpose === 'cancel' && job.transaction.refusal === null;
  if (isCancelled) return { job, result: 'cancelled', reason: 'Cancelled', receipt };
  const reason =
    attempt.purpose === 'cancel' ? result.failure : await replayFailure(context, job, receipt, result.failure, head);
  return { job, result: 'failed', reason, receipt };
}

/** @returns how a job without a nonce ends; undefined if that cannot be determined yet. */
export async function endWithoutReceipt(
  context: EndContext,
  { job, result, reason }: { readonly job: Job; readonly result: 'failed' | 'cancelled'; readonly reason: string },
  head: ChainHead,
): Promise<End | undefined> {
  const foreign = await findForeignEffect(context, job, head);
  if (foreign === 'later') return undefined;
  if (foreign !== undefined) return { job, result: 'confirmed', receipt: undefined, ...foreign };
  return { job, result, reason, receipt: undefined };
}

/**
 * Why a mined transaction did not have its effect: replays the call at that block and lets the kind explain the result.
 * Best effort.
 */
async function replayFailure(
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

/**
 * Checks, before an order fails, whether a third party's transaction has had its effect.
 * @returns undefined if none has; `later` if that cannot be determined yet.
 */
async function findForeignEffect(
  context: EndContext,
  job: Job,
  head: ChainHead,
): Promise<{ readonly foreign: ForeignEffect<unknown>; readonly isFinal: boolean } | 'later' | undefined> {
  if (job.kind.findForeignEffect === null) return undefined;
  const { services, chain } = context;
  if ((await lackingBlock(context, [job], head)).size > 0) return 'later';
  const foreign = await effectAt(context, job, head);
  if (foreign === undefined || foreign === 'later') return foreign;
  const { inclusion } = foreign;
  if (inclusion === null) {
    const seen = { blockNumber: head.number, blockHash: head.hash, foreign };
    const final = await finalWithoutLog(context, job, seen);
    return final === undefined ? 'later' : { foreign: final, isFinal: true };
  }
  const owner = (await findAttemptOwners(services.db, [inclusion.txHash])).get(inclusion.txHash);
  // Another order's transaction counts for that order only. Our own is found by its receipt.
  if (owner === job.transaction.id) return 'later';
  if (owner !== undefined && foreign.isOwn !== true) return undefined;
  const depth = head.number - inclusion.blockNumber + 1;
  if (depth < chain.confirmations) return 'later';
  const canonical = await readBlockHashes(chain, [inclusion], head);
  if (canonical.get(inclusion.blockNumber) !== inclusion.blockHash) return 'later';
  const isFinal = depth >= chain.finality;
  const mined = { ...inclusion, hash: inclusion.txHash, depth: isFinal ? chain.finality : chain.confirmations };
  return (await agreedByMost(chain, [mined])).length === 0 ? 'later' : { foreign, isFinal };
}

/**
 * An effect that leaves no log, once the block in which it was first seen is final, on the head's branch; undefined
 * before. The state of a final block is not read: most nodes keep that of some hundred blocks at most.
 */
async function finalWithoutLog(
  { chain, memory: { effectsWithoutLog } }: EndContext,
  { transaction: { id } }: Job,
  now: EffectWithoutLog,
): Promise<ForeignEffect<unknown> | undefined> {
  const known = effectsWithoutLog.get(id);
  const first = known === undefined || known.blockNumber > now.blockNumber ? now : known;
  effectsWithoutLog.set(id, first);
  if (now.blockNumber < first.blockNumber + chain.finality - 1) return undefined;
  const head = { number: now.blockNumber, hash: now.blockHash };
  const hash = (await readBlockHashes(chain, [first], head)).get(first.blockNumber);
  if (hash === first.blockHash) return first.foreign;
  // The effect was seen on a branch that the chain has left.
  if (hash !== undefined) effectsWithoutLog.set(id, now);
  return undefined;
}

/** The effect of a third party's transaction at a block; `later` if that cannot be determined yet. */
export async function effectAt(
  context: Pick<LaneContext, 'services' | 'chain'>,
  job: Job,
  block: Pick<ChainHead, 'number' | 'hash'>,
): Promise<ForeignEffect<unknown> | 'later' | undefined> {
  const signed = job.attempts.filter(({ purpose }) => purpose === 'effect').map(calldataOf);
  const reads = createChainReads(context.chain, block);
  try {
    return await job.kind.findForeignEffect?.(kindContextOf(context, reads), job.claim, [...new Set(signed)]);
  } catch (error) {
    if (error instanceof NotNow) return 'later';
    throw error;
  }
}
