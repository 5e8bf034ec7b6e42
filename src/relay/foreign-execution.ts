import { encodeEventTopics } from 'viem';
import type { Log } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { nonceView } from '../chains/views.ts';
import { logsSince } from '../engine/logs-since.ts';
import { NotNow } from '../engine/order-kind.ts';
import type { ChainReads, ForeignEffect } from '../engine/order-kind.ts';
import { readView } from '../engine/read-view.ts';
import { executionReport } from './forward-request.ts';
import { signedRequestOf } from './forward-requests.store.ts';
import type { Relayed } from './forward-requests.store.ts';

/** What acceptance read may be older than the block that it noted by so many blocks: nodes behind one URL differ. */
const SLACK_BLOCKS = 256;
/** How far back executions are looked for where the block of the acceptance is not known: a day of blocks of 2 s. */
const MOST_BLOCKS = 43_200;

/**
 * Looks for a transaction in which the forwarder executed a signed request with success and that has what was ordered: a
 * signed request is public once it was sent, and anyone may bring it.
 * @param effectOf What the logs of a transaction show of the order.
 * @throws {NotNow}
 */
export async function findForeignExecution<Effect>(
  reads: ChainReads,
  order: Relayed,
  effectOf: (logs: readonly Log[]) => Effect | undefined,
): Promise<ForeignEffect<Effect> | undefined> {
  const { forwarder, request } = signedRequestOf(order);
  const onChain = await readView(reads, nonceView(forwarder.address, request.from));
  // Unused: nobody has executed it.
  if (onChain === undefined || onChain <= request.nonce) return undefined;
  const topics = encodeEventTopics({
    abi: minimalForwarder.abi,
    eventName: 'Executed',
    args: { from: request.from, to: request.to },
  });
  const from = order.readAtBlock === null ? reads.blockNumber - MOST_BLOCKS : order.readAtBlock - SLACK_BLOCKS;
  const logs = await logsSince(reads, { address: forwarder.address, topics: topics.flat() }, from);
  const executed = logs.find((log) => executionReport(forwarder, request, [log])?.success === true);
  if (executed === undefined || executed.transactionHash === null) return undefined;
  const receipt = await reads.receipt(executed.transactionHash);
  if (receipt === undefined) throw new NotNow('The node shows a log without its receipt');
  const report = executionReport(forwarder, request, receipt.logs);
  const effect = receipt.status === 'success' && report?.success === true ? effectOf(receipt.logs) : undefined;
  if (effect === undefined) return undefined;
  const { transactionHash: txHash, blockNumber, blockHash } = receipt;
  return { effect, inclusion: { txHash, blockNumber, blockHash } };
}
