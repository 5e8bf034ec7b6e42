import { readBlockHashes } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
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
  { services, chain }: LaneContext,
  job: Job,
  head: ChainHead,
): Promise<{ readonly foreign: ForeignEffect<unknown>; readonly isFinal: boolean } | 'later' | undefined> {
  if (job.kind.findForeignEffect === null) return undefined;
  if (job.transaction.notBeforeBlock !== null && head.number < job.transaction.notBeforeBlock) return 'later';
  const reads = createChainReads(chain.rpc, head.number);
  let foreign: ForeignEffect<unknown> | undefined;
  try {
    foreign = await job.kind.findForeignEffect({ services, reads }, job.claim);
  } catch (error) {
    if (error instanceof NotNow) return 'later';
    throw error;
  }
  if (foreign === undefined) return undefined;
  const owner = (await ownersOf(services.db, [foreign.txHash])).get(foreign.txHash);
  // Another order's transaction is that order's success alone; our own shows itself by its receipt.
  if (owner !== undefined) return owner === job.transaction.id ? 'later' : undefined;
  const depth = head.number - foreign.blockNumber + 1;
  if (depth < chain.confirmations) return 'later';
  const standing = await readBlockHashes(chain.rpc, [foreign.blockNumber]);
  if (standing.get(foreign.blockNumber) !== foreign.blockHash) return 'later';
  return { foreign, isFinal: depth >= chain.finality };
}
