import { requireChainOf } from '../accounts/chains-of-actor.ts';
import { DomainError, notFound } from '../core/domain-error.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import { newId } from '../core/record-id.ts';
import { systemOf } from '../platform/database/client.ts';
import type { Services, TenantServices } from '../services.ts';
import { credibleHead } from '../engine/evidence.ts';
import { readHead } from '../engine/chain-head.ts';
import { endWithoutReceipt } from '../engine/receipts.ts';
import { hasEnded, isWaiting, wasSigned, type Job } from '../engine/job.ts';
import { connectLane, type EngineServices } from '../engine/lane-context.ts';
import { LaneMemory } from '../engine/lane-memory.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import { cancelReason } from '../engine/prepare.ts';
import { announce, endingOf, runAfterwards, type End } from '../engine/settle.ts';
import { endTransactions } from '../engine/store/end-transactions.ts';
import { mayBeSetBack, readObservations } from '../engine/store/lane-row.ts';
import { engineServicesOf } from './engine-services.ts';
import { requestCancel } from './request-cancel.store.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import { laneName, laneOf, type WalletLane } from '../engine/wallet-lane.ts';

/**
 * Cancels an order of the account. One of which nothing was ever signed is CANCELLED when this returns. For any other
 * the request is stored, and its lane's driver replaces its transaction by one without effect, within the fee caps: the
 * one that is mined decides.
 * @param kinds The kinds that the order may be of; they share a table.
 * @returns the current order.
 * @throws {DomainError} `not-found`; `forbidden` if the key is not for its chain; `conflict` if it had ended before the
 *   first attempt.
 */
export async function cancelOrder(
  services: TenantServices,
  kinds: readonly AnyOrderKind[],
  orderId: string,
): Promise<Job> {
  const name = kinds[0]?.resource?.name ?? 'Order';
  const found = await requestCancel(services.db, kinds, orderId, new Date(services.clock.now()));
  if (found === undefined) throw notFound(name);
  requireChainOf(services.actor, found.chainId);
  const { job } = found;
  // An earlier attempt of the same request has asked for it, and the order may have ended since.
  if (job !== undefined && hasEnded(job) && services.isRetry) return job;
  if (job === undefined || hasEnded(job)) throw new DomainError('conflict', `${name} ${orderId} has ended`);
  await carryOutCancel(services, job);
  return (await requestCancel(services.db, kinds, orderId, null))?.job ?? job;
}

/**
 * Ends an order whose stored cancellation was read with it, if nothing of it was signed; else wakes its lane's driver,
 * which does.
 */
export async function carryOutCancel(services: TenantServices, job: Job): Promise<void> {
  const isUnsigned = isWaiting(job) && !wasSigned(job);
  if (isUnsigned && (await endUnsigned({ ...services, db: systemOf(services.db) }, job))) return;
  wakeLanes(services, job.kind, [laneOf(job.transaction.chainId, job.transaction.walletAddress)]);
}

/**
 * @returns false if its lane's driver was faster, or must find out whether it was executed: by a third party's
 *   transaction, or by one of our own that the database lacks, since it was set back.
 */
async function endUnsigned(services: Services, job: Job): Promise<boolean> {
  const { transaction } = job;
  const engine = engineServicesOf(services);
  const lane = laneOf(transaction.chainId, transaction.walletAddress);
  const at = new Date(services.clock.now());
  if (await mayLackAttempts(services, lane)) return false;
  const end = await decideEnd(engine, job);
  if (end?.result !== 'cancelled') return false;
  const ending = endingOf(end, at, () => {
    throw new Error('Nothing was mined');
  });
  const { transactionIds, receivers, resultsOf, released } = await endTransactions(
    engine,
    lane,
    newId(at.getTime()),
    [ending],
    null,
    at,
  );
  if (!transactionIds.has(transaction.id)) return false;
  const memory = new LaneMemory(at.getTime());
  memory.wakeLater(receivers);
  const sender = { services: engine, lane, memory };
  await Promise.all([announce(sender, [ending], released), runAfterwards(sender, [ending], resultsOf)]);
  return true;
}

/** Whether the database may lack what the lane has signed. */
async function mayLackAttempts({ lanes, db, log }: Services, lane: WalletLane): Promise<boolean> {
  let signedAt: EpochMs | null;
  try {
    signedAt = await lanes.getByName(laneName(lane)).signedAt();
  } catch (error) {
    log.warn('lane.not_asked', { ...lane, error });
    return true;
  }
  return await mayBeSetBack(db, lane, signedAt === null ? null : new Date(signedAt));
}

async function decideEnd(services: EngineServices, job: Job): Promise<End | undefined> {
  const refusal = { job, result: 'cancelled', reason: cancelReason(job) } as const;
  if (job.kind.findForeignEffect === null) return { ...refusal, receipt: undefined };
  const { chainId, walletAddress } = job.transaction;
  const chain = services.settings.chains.get(chainId);
  if (chain === undefined) return undefined;
  const lane = laneOf(chainId, walletAddress);
  const context = {
    services,
    kinds: new Map([[job.kind.name, job.kind]]),
    lane,
    chain: connectLane(chain),
    memory: new LaneMemory(services.clock.now()),
  };
  const [read, stored] = await Promise.all([
    readHead(context.chain.rpc, lane, () => services.clock.now()),
    readObservations(services.db, lane),
  ]);
  const { head, dropped } = await credibleHead(
    { ...context, observations: stored, floor: 0, held: new Set() },
    read,
    chain.rpcUrls.length > 1,
  );
  // A node that is behind what the lane has observed may lack the effect.
  const observed = stored.filter((one) => !dropped.includes(one));
  const isOutdated = head === undefined || observed.some(([block]) => block > head.number);
  return isOutdated ? undefined : await endWithoutReceipt(context, refusal, head);
}
