import type { Address, Hex, Log } from 'viem';
import type { RpcReply } from '../chains/rpc-client.ts';
import { isHash, readBlockHashes, resultOf, toQuantity } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import type { AttemptRow, Job } from './job.ts';
import type { LaneChain } from './lane-context.ts';
import type { Receipt } from './order-kind.ts';

/** The receipt of one of a job's attempts, in a canonical block. */
export interface FoundReceipt {
  readonly job: Job;
  readonly attempt: AttemptRow;
  readonly receipt: Receipt;
}

/**
 * Fetches the receipts of all attempts of the given jobs. A receipt counts only for the hash that it names, and only if its block is
 * the canonical block at that height.
 */
export async function findReceipts(
  chain: Pick<LaneChain, 'rpc' | 'finality'>,
  jobs: readonly Job[],
  head: ChainHead,
): Promise<ReadonlyMap<Job, FoundReceipt>> {
  const requests = jobs.flatMap((job) => job.attempts.map((attempt) => ({ job, attempt })));
  const replies = await chain.rpc.requestInParallel(
    requests.map(({ attempt }) => ({ method: 'eth_getTransactionReceipt', params: [attempt.hash] })),
  );
  const matching = requests.flatMap(({ job, attempt }, index) => {
    const receipt = receiptOf(replies[index], attempt.hash);
    return receipt === undefined ? [] : [{ job, attempt, receipt }];
  });
  const heights = new Set(matching.map(({ receipt }) => receipt.blockNumber));
  const hashes = await readBlockHashes(chain, [...heights], head);
  const canonical = matching.filter(({ receipt }) => hashes.get(receipt.blockNumber) === receipt.blockHash);
  return new Map(canonical.map((found) => [found.job, found]));
}

/** @returns undefined if there is none, or it is not the requested one. */
export function receiptOf(reply: RpcReply | undefined, hash: Hex): Receipt | undefined {
  const raw = resultOf(reply);
  if (typeof raw !== 'object' || raw === null) return undefined;
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(raw, name)?.value;
  const blockNumber = toQuantity(field('blockNumber'));
  const gasUsed = toQuantity(field('gasUsed'));
  const blockHash = field('blockHash');
  const status = toQuantity(field('status'));
  const logs = field('logs');
  if (field('transactionHash') !== hash || blockNumber === undefined || gasUsed === undefined) return undefined;
  if (!isHash(blockHash) || status === undefined || !Array.isArray(logs)) return undefined;
  return {
    transactionHash: hash,
    blockNumber: Number(blockNumber),
    blockHash,
    status: status === 1n ? 'success' : 'reverted',
    gasUsed,
    effectiveGasPrice: toQuantity(field('effectiveGasPrice')) ?? 0n,
    logs: logs.map(logOf),
  };
}

/** Converts a raw log to viem's form. */
export function logOf(raw: unknown): Log {
  const field = (name: string): unknown =>
    typeof raw === 'object' && raw !== null ? Object.getOwnPropertyDescriptor(raw, name)?.value : undefined;
  const topics = field('topics');
  /* oxlint-disable typescript/no-unsafe-type-assertion -- decoders reject invalid logs; nothing here is trusted beyond that */
  return {
    address: field('address') as Address,
    topics: (Array.isArray(topics) ? topics : []) as Log['topics'],
    data: field('data') as Hex,
    blockNumber: toQuantity(field('blockNumber')) ?? 0n,
    blockHash: field('blockHash') as Hex,
    transactionHash: field('transactionHash') as Hex,
    logIndex: Number(toQuantity(field('logIndex')) ?? 0n),
    transactionIndex: Number(toQuantity(field('transactionIndex')) ?? 0n),
    removed: false,
  };
  /* oxlint-enable typescript/no-unsafe-type-assertion */
}
