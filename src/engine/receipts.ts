import type { Address, Hex, Log } from 'viem';
import type { RpcReply } from '../chains/rpc-client.ts';
import { isHash, readBlockHashes, resultOf, toQuantity } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import type { AttemptRow, Job } from './job.ts';
import type { LaneChain } from './lane-context.ts';
import type { Receipt } from './order-kind.ts';

/** A receipt of one of a job's attempts, in a block that stands at its height. */
export interface Found {
  readonly job: Job;
  readonly attempt: AttemptRow;
  readonly receipt: Receipt;
}

/**
 * Looks for the receipts of all attempts of jobs. A receipt counts for the hash that it names, and only where the
 * hash of its block is that of the block at its height.
 */
export async function findReceipts(
  chain: Pick<LaneChain, 'rpc' | 'finality'>,
  jobs: readonly Job[],
  head: ChainHead,
): Promise<ReadonlyMap<Job, Found>> {
  const asked = jobs.flatMap((job) => job.attempts.map((attempt) => ({ job, attempt })));
  const replies = await chain.rpc.requestAtOnce(
    asked.map(({ attempt }) => ({ method: 'eth_getTransactionReceipt', params: [attempt.hash] })),
  );
  const named = asked.flatMap(({ job, attempt }, index) => {
    const receipt = receiptOf(replies[index], attempt.hash);
    return receipt === undefined ? [] : [{ job, attempt, receipt }];
  });
  const heights = new Set(named.map(({ receipt }) => receipt.blockNumber));
  const hashes = await readBlockHashes(chain, [...heights], head);
  const standing = named.filter(({ receipt }) => hashes.get(receipt.blockNumber) === receipt.blockHash);
  return new Map(standing.map((found) => [found.job, found]));
}

/** @returns undefined where there is none, or it is not what was asked for. */
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

/** A log in the form that viem's decoders take. */
export function logOf(raw: unknown): Log {
  const field = (name: string): unknown =>
    typeof raw === 'object' && raw !== null ? Object.getOwnPropertyDescriptor(raw, name)?.value : undefined;
  const topics = field('topics');
  /* oxlint-disable typescript/no-unsafe-type-assertion -- decoders refuse what is no log; nothing here is trusted for more than that */
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
