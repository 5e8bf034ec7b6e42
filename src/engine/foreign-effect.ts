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
 * Checks, before an order fails, whether a third party's transaction has had its effect.
 * @returns undefined if none has; `later` if that cannot be determined yet.
 */
export async function findForeignEffect(
  context: LaneContext,
  job: Job,
  head: ChainHead,
): Promise<{ readonly foreign: ForeignEffect<unknown>; readonly isFinal: boolean } | 'later' | undefined> {
  if (job.kind.findForeignEffect === null) return undefined;
  const { services, chain } = context;
  if (job.transaction.notBeforeBlock !== null && head.number < job.transaction.notBeforeBlock) return 'later';
  const foreign = await effectAt(context, job, head);
  if (foreign === undefined || foreign === 'later') return foreign;
  const { inclusion } = foreign;
  if (inclusion === null) {
    const final = chain.finality === 1 ? foreign : await finalEffect(context, job, head);
    return final === undefined || final === 'later' ? 'later' : { foreign, isFinal: true };
  }
  const owner = (await ownersOf(services.db, [inclusion.txHash])).get(inclusion.txHash);
  // Another order's transaction counts for that order only. Our own is found by its receipt.
  if (owner !== undefined) return owner === job.transaction.id ? 'later' : undefined;
  const depth = head.number - inclusion.blockNumber + 1;
  if (depth < chain.confirmations) return 'later';
  const canonical = await readBlockHashes(chain, [inclusion.blockNumber], head);
  if (canonical.get(inclusion.blockNumber) !== inclusion.blockHash) return 'later';
  return { foreign, isFinal: depth >= chain.finality };
}

/** The same at the last final block, on the head's branch. */
async function finalEffect(context: LaneContext, job: Job, head: ChainHead) {
  const number = head.number - context.chain.finality + 1;
  const hash = (await readBlockHashes(context.chain, [number], head)).get(number);
  return hash === undefined ? 'later' : await effectAt(context, job, { number, hash });
}

async function effectAt(
  { services, chain }: LaneContext,
  job: Job,
  block: Pick<ChainHead, 'number' | 'hash'>,
): Promise<ForeignEffect<unknown> | 'later' | undefined> {
  const signed = job.attempts
    .filter(({ purpose }) => purpose === 'effect')
    .map((attempt) => calldataOf(job, attempt))
    .filter((calldata) => calldata !== undefined);
  const reads = createChainReads(chain, block);
  try {
    return await job.kind.findForeignEffect?.({ services, reads }, job.claim, [...new Set(signed)]);
  } catch (error) {
    if (error instanceof NotNow) return 'later';
    throw error;
  }
}
