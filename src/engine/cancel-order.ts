import { createRpcClient } from '../chains/rpc-client.ts';
import { DomainError, notFound } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';
import { systemOf } from '../platform/database/client.ts';
import type { Services, TenantServices } from '../services.ts';
import { readHead } from './chain-head.ts';
import { endWithoutReceipt } from './examine-receipt.ts';
import { hasEnded, isWaiting } from './job.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { AnyOrderKind } from './order-kind.ts';
import { CANCELLED_UNSENT } from './prepare.ts';
import { announce, endingOf } from './settle.ts';
import type { End } from './settle.ts';
import { endTransactions } from './store/end-transactions.ts';
import { requestCancel } from './store/request-cancel.ts';
import { wakeLanes } from './wake-lanes.ts';
import { laneOf } from './wallet-lane.ts';

const RPC_TIMEOUT_MS = 5_000;

/**
 * Cancels an order of the account. One of which nothing was ever signed is CANCELLED when this returns. Of any other the
 * wish is noted, and its lane's driver takes its place on the chain, within the fee caps: what is mined decides.
 * @param kinds Those that the order may be of; they share a table.
 * @returns the order as it stands now.
 * @throws {DomainError} `not-found`; `conflict` where it has ended.
 */
export async function cancelOrder(
  services: TenantServices,
  kinds: readonly AnyOrderKind[],
  orderId: string,
): Promise<Job> {
  const name = kinds[0]?.resource?.name ?? 'Order';
  const found = await requestCancel(services.db, kinds, orderId, new Date(services.clock.now()));
  if (found === undefined) throw notFound(name);
  const { job } = found;
  if (job === undefined || hasEnded(job)) throw new DomainError('conflict', `${name} ${orderId} has ended`);
  const isUnsigned = isWaiting(job) && job.attempts.length === 0;
  if (!isUnsigned || !(await endUnsigned({ ...services, db: systemOf(services.db) }, job))) {
    await wakeLanes(services, job.kind, [laneOf(job.transaction.chainId, job.transaction.walletAddress)]);
  }
  return (await requestCancel(services.db, kinds, orderId, null))?.job ?? job;
}

/** @returns false where its lane's driver was faster, or is to find out whether a stranger has brought the effect about. */
async function endUnsigned(services: Services, job: Job): Promise<boolean> {
  const { transaction } = job;
  const lane = laneOf(transaction.chainId, transaction.walletAddress);
  const end = await endOf(services, job);
  if (end?.result !== 'cancelled') return false;
  const at = new Date(services.clock.now());
  const ending = endingOf(end, at, () => {
    throw new Error('Nothing was mined');
  });
  const { db } = services;
  const { transactionIds, eventIds, released } = await endTransactions(
    db,
    lane,
    newId(at.getTime()),
    [ending],
    null,
    at,
  );
  if (!transactionIds.has(transaction.id)) return false;
  await announce({ services, lane }, { unsentEvents: new Set(eventIds) }, [ending], released);
  return true;
}

async function endOf(services: Services, job: Job): Promise<End | undefined> {
  const refusal = { job, result: 'cancelled', reason: CANCELLED_UNSENT } as const;
  if (job.kind.findForeignEffect === null) return { ...refusal, receipt: undefined };
  const context = contextOf(services, job);
  const head = context && (await readHead(context.chain.rpc, context.lane, () => services.clock.now()));
  return context && head && (await endWithoutReceipt(context, refusal, head));
}

/** Undefined where the chain is no longer allowed. */
function contextOf(services: Services, { transaction, kind }: Job): LaneContext | undefined {
  const definition = services.settings.chains.get(transaction.chainId);
  if (definition === undefined) return undefined;
  const rpc = createRpcClient(definition.rpcUrls, { batchSize: definition.rpcBatch, timeoutMs: RPC_TIMEOUT_MS });
  return {
    services,
    kinds: new Map([[kind.name, kind]]),
    lane: laneOf(transaction.chainId, transaction.walletAddress),
    chain: { ...definition, rpc },
  };
}
