import type { Hex } from 'viem';
import { readBlockHashes } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { calldataOf } from './job.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { NotNow } from './order-kind.ts';
import type { ForeignEffect } from './order-kind.ts';
import { ownersOf } from './store/under-way.ts';

/**
 * Looks, before an order fails, whether a stranger's transaction has brought its effect about.
 * @returns undefined when none has; `later` when that cannot be known yet.
 */
export async function findForeignEffect(
  context: LaneContext,
  job: Job,
  head: ChainHead,
): Promise<{ readonly foreign: ForeignEffect<unknown>; readonly isFinal: boolean } | 'later' | undefined> {
  if (job.kind.findForeignEffect === null) return undefined;
  const { services, chain } = context;
  if (job.transaction.notBeforeBlock !== null && head.number < job.transaction.notBeforeBlock) return 'later';
  const foreign = await effectAt(context, job, head.number, head.hash);
  if (foreign === undefined || foreign === 'later') return foreign;
  const { place } = foreign;
  if (place === null) {
    const final = chain.finality === 1 ? foreign : await effectAt(context, job, head.number - chain.finality + 1);
    return final === undefined || final === 'later' ? 'later' : { foreign, isFinal: true };
  }
  const owner = (await ownersOf(services.db, [place.txHash])).get(place.txHash);
  // Another order's transaction is that order's success alone; our own shows itself by its receipt.
  if (owner !== undefined) return owner === job.transaction.id ? 'later' : undefined;
  const depth = head.number - place.blockNumber + 1;
  if (depth < chain.confirmations) return 'later';
  const standing = await readBlockHashes(chain, [place.blockNumber], head);
  if (standing.get(place.blockNumber) !== place.blockHash) return 'later';
  return { foreign, isFinal: depth >= chain.finality };
}

async function effectAt(
  { services, chain }: LaneContext,
  job: Job,
  blockNumber: number,
  blockHash?: Hex,
): Promise<ForeignEffect<unknown> | 'later' | undefined> {
  const signed = job.attempts
    .filter(({ purpose }) => purpose === 'effect')
    .map((attempt) => calldataOf(job, attempt))
    .filter((calldata) => calldata !== undefined);
  const reads = createChainReads(chain.rpc, blockNumber, blockHash);
  try {
    return await job.kind.findForeignEffect?.({ services, reads }, job.claim, [...new Set(signed)]);
  } catch (error) {
    if (error instanceof NotNow) return 'later';
    throw error;
  }
}
