import { encodeEventTopics, isAddressEqual, parseEventLogs, type Log } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import { nonceView } from '../catalog/contracts/views.ts';
import { logsSince, mostBlocksSince, readView, receiptOfLog } from '../engine/chain-reads.ts';
import { NotNow, type ChainReads, type Claim, type ForeignEffect, type KindContext } from '../engine/order-kind.ts';
import { executionReport, type Forwarder, type ForwardRequest } from './forward-request.ts';
import {
  isDeployedForwarder,
  isOfAnother,
  signedRequestOf,
  unexplainedSince,
  type Relayed,
} from './forward-requests.store.ts';

/** How many blocks older than recorded the data that acceptance read may be, because nodes behind one URL differ. */
const SLACK_BLOCKS = 256;
/** For how long an order waits for a log that the node does not return. */
const PATIENCE_MS = 24 * 3_600_000;

/**
 * Finds a third party's transaction in which the forwarder executed a signed request successfully with the ordered
 * effect. A signed request is public once it has been sent, and anyone may submit it.
 * @param effectOf Reads the order's effect from the logs of a transaction.
 * @throws {NotNow}
 */
export async function findForeignExecution<Effect>(
  context: KindContext,
  { order, orderId }: Claim<Relayed>,
  effectOf: (logs: readonly Log[]) => Effect | undefined,
): Promise<ForeignEffect<Effect> | undefined> {
  const { db, clock, reads } = context;
  const { forwarder, request } = signedRequestOf(order);
  const onChain = await readView(reads, nonceView(forwarder.address, request.from));
  // Unused: nobody has executed it.
  if (onChain === undefined || onChain <= request.nonce) return undefined;
  // The only provider may have named a height that the chain reached later, or never will.
  const oldest = reads.blockNumber - mostBlocksSince(context, order.createdAt);
  const from = Math.min(order.readAtBlock, oldest) - SLACK_BLOCKS;
  const logs = await logsOfSigner(reads, forwarder, request, 'Executed', from);
  const executed = logs?.find((log) => executionReport(forwarder, request, [log]) !== undefined);
  if (executed === undefined) {
    // A node that refuses to return logs may not do so for ever, and counts as one that leaves them out.
    if (logs !== undefined && !(await isDeployedForwarder(db, forwarder))) return undefined;
    if (await isCancelled(reads, forwarder, request, from)) return undefined;
    const now = clock.now();
    const since = await unexplainedSince(db, orderId, new Date(now));
    if (now - since.getTime() > PATIENCE_MS) return undefined;
    throw new NotNow('The node returns no log of the transaction that used the nonce of the signed request');
  }
  if (!isSuccess(forwarder, request, executed)) return undefined;
  const { logs: all, transactionHash: txHash, blockNumber, blockHash } = await receiptOfLog(reads, executed);
  const effect = effectOf(all);
  if (effect === undefined) return undefined;
  if (await isOfAnother(db, orderId, order, txHash)) return undefined;
  return { effect, inclusion: { txHash, blockNumber, blockHash }, isOwn: true };
}

/** Whether a log reports that the request's nonce was used by a successful call of the request's target. */
function isSuccess(forwarder: Forwarder, request: ForwardRequest, log: Log): boolean {
  const report = executionReport(forwarder, request, [log]);
  return report !== undefined && report.success && isAddressEqual(report.to, request.to);
}

/** Whether the signer used up the request's nonce without a request. @throws {NotNow} */
async function isCancelled(
  reads: ChainReads,
  forwarder: Forwarder,
  request: ForwardRequest,
  fromBlock: number,
): Promise<boolean> {
  const logs = await logsOfSigner(reads, forwarder, request, 'NoncesCancelled', fromBlock);
  return parseEventLogs({ abi: minimalForwarder.abi, eventName: 'NoncesCancelled', logs: [...(logs ?? [])] }).some(
    ({ address, args }) =>
      isAddressEqual(address, forwarder.address) &&
      isAddressEqual(args.from, request.from) &&
      args.firstNonce <= request.nonce &&
      request.nonce <= args.lastNonce,
  );
}

function logsOfSigner(
  reads: ChainReads,
  { address }: Forwarder,
  { from }: ForwardRequest,
  eventName: 'Executed' | 'NoncesCancelled',
  fromBlock: number,
): Promise<readonly Log[] | undefined> {
  const topics = encodeEventTopics({ abi: minimalForwarder.abi, eventName, args: { from } });
  return logsSince(reads, { address, topics: topics.flat() }, fromBlock);
}
