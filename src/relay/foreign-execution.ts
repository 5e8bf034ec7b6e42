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

/** How many blocks older than recorded the data that acceptance read may be, because nodes behind one URL differ. */
const SLACK_BLOCKS = 256;
/** How many blocks are searched if the block of the acceptance is unknown: a day of 2-second blocks. */
const MAX_BLOCKS = 43_200;

/**
 * Finds a third party's transaction in which the forwarder executed a signed request successfully with the ordered effect. A signed
 * request is public once it has been sent, and anyone may submit it.
 * @param effectOf Reads the order's effect from the logs of a transaction.
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
  const from = order.readAtBlock === null ? reads.blockNumber - MAX_BLOCKS : order.readAtBlock - SLACK_BLOCKS;
  const logs = await logsSince(reads, { address: forwarder.address, topics: topics.flat() }, from);
  const executed = logs.find((log) => executionReport(forwarder, request, [log])?.success === true);
  if (executed === undefined || executed.transactionHash === null) return undefined;
  const receipt = await reads.receipt(executed.transactionHash);
  if (receipt === undefined) throw new NotNow('The node returns a log but not its receipt');
  const report = executionReport(forwarder, request, receipt.logs);
  const effect = receipt.status === 'success' && report?.success === true ? effectOf(receipt.logs) : undefined;
  if (effect === undefined) return undefined;
  const { transactionHash: txHash, blockNumber, blockHash } = receipt;
  return { effect, inclusion: { txHash, blockNumber, blockHash } };
}
