import { parseTransaction } from 'viem';
import type { TransactionReceipt } from 'viem';
import { callVerdict } from '../chains/rpc-error.ts';
import { runBatch } from '../platform/database/client.ts';
import { newId } from '../core/ids.ts';
import { feeOf } from '../platform/rates/fee.ts';
import { insertEvents, insertedEventIds } from '../webhooks/events.store.ts';
import type { Job, Lane, SignedJob } from './job.ts';
import { nonceKeeperOf } from './nonces.ts';
import { OperationDeferred, OperationRefused } from './operation.ts';
import type { Claim, Outcome } from './operation.ts';
import { explained, probeReason } from './prepare.ts';
import { endTransactions } from './transactions.store.ts';
import type { Ending } from './transactions.store.ts';

interface Mined<Order> {
  readonly job: SignedJob<Order>;
  readonly receipt: TransactionReceipt;
}

/** Ends jobs by their receipts: CONFIRMED, or FAILED with what the chain says. */
export async function settleMined<Order, Success>(
  lane: Lane<Order, Success>,
  mined: readonly Mined<Order>[],
): Promise<void> {
  if (mined.length === 0) return;
  const rates = await lane.services.rates.current(lane.chain.definition.nativeCoin.rateId);
  const at = new Date(lane.services.clock.now());
  const results = await Promise.all(
    mined.map(async ({ job, receipt }) => {
      const { claim } = job;
      const common = {
        claim,
        at,
        txHash: receipt.transactionHash,
        fee: feeOf(receipt.gasUsed, receipt.effectiveGasPrice, rates),
      };
      const success =
        receipt.status === 'success'
          ? await lane.operation.interpret(lane.services, claim, receipt)
          : { failure: await explained(lane, claim, `Reverted: ${await minedReason(lane, job, receipt)}`) };
      const failed = isFailure(success);
      const outcome: Outcome<Order, Success> = failed
        ? { ...common, result: 'reverted', reason: success.failure }
        : { ...common, result: 'succeeded', success };
      return {
        outcome,
        ending: { transactionId: job.transaction.id, state: failed ? 'reverted' : 'confirmed' } as const,
      };
    }),
  );
  await settle(lane, results);
}

/**
 * Ends jobs of which nothing was ever signed: FAILED. First the database, then the nonce goes back: in between, a crash
 * leaves a nonce held that the cleanup job finds.
 */
export async function settleDropped<Order, Success>(
  lane: Lane<Order, Success>,
  dropped: readonly { readonly job: Job<Order>; readonly reason: string }[],
): Promise<void> {
  if (dropped.length === 0) return;
  const at = new Date(lane.services.clock.now());
  await settle(
    lane,
    dropped.map(({ job, reason }) => ({
      outcome: { claim: job.claim, at, result: 'dropped', reason },
      ending: { transactionId: job.transaction.id, state: 'dropped' },
    })),
  );
  const ids = new Set(dropped.map(({ job }) => job.transaction.id));
  const keeper = nonceKeeperOf(lane.services, lane.chain.id, lane.account.walletAddress);
  const held = (await keeper.list()).filter(({ operationId }) => ids.has(operationId));
  if (held.length > 0) await keeper.release(held);
}

/**
 * One SQL transaction: the engine's rows, the orders, what they link, and the events. Then, after the commit, the
 * wake-up calls for the events; cron finds those that get lost.
 */
async function settle<Order, Success>(
  lane: Lane<Order, Success>,
  ends: readonly { readonly outcome: Outcome<Order, Success>; readonly ending: Ending }[],
): Promise<void> {
  const { services, operation } = lane;
  const { db, log } = services;
  const now = services.clock.now();
  const settlementId = newId(now);
  const outcomes = ends.map(({ outcome }) =>
    outcome.result === 'succeeded' ? outcome : { ...outcome, reason: services.redact(outcome.reason) },
  );
  const { statements, events } = operation.settle(services, settlementId, outcomes);
  const insert = insertEvents(db, settlementId, events);
  const results = await runBatch(db, [
    endTransactions(
      db.sql,
      settlementId,
      ends.map(({ ending }) => ending),
      new Date(now),
    ),
    ...statements,
    insert,
  ]);
  for (const outcome of outcomes) {
    log.info('operation.settled', {
      kind: operation.kind,
      orderId: outcome.claim.orderId,
      accountId: outcome.claim.account.id,
      result: outcome.result,
      ...(outcome.result === 'dropped' ? {} : { txHash: outcome.txHash }),
      ...(outcome.result === 'succeeded' ? {} : { reason: outcome.reason }),
    });
  }
  await services.queues.send(insertedEventIds(results.at(-1)).map((id) => ({ kind: 'webhook', id })));
  await operation.settled?.(services, outcomes);
}

function isFailure(success: unknown): success is { readonly failure: string } {
  return typeof success === 'object' && success !== null && 'failure' in success;
}

/** Why a mined transaction reverted: the same call once more, on the state right after its block. */
async function minedReason<Order>(
  lane: Lane<Order, unknown>,
  { transaction, claim }: SignedJob<Order>,
  { blockNumber }: TransactionReceipt,
): Promise<string> {
  const unknown = 'the transaction was mined and failed; the node gives no reason';
  const { to, data } = parseTransaction(transaction.rawTransaction);
  if (to === undefined || to === null || data === undefined) return unknown;
  try {
    await lane.chain.client.call({ account: lane.account.walletAddress, to, data, blockNumber });
    return unknown;
  } catch (error) {
    const verdict = callVerdict(error);
    if (verdict.kind !== 'reverted') return unknown;
    if (verdict.reason !== undefined) return verdict.reason;
    return (await reasonOfProbe(lane, claim, blockNumber)) ?? unknown;
  }
}

async function reasonOfProbe<Order>(
  lane: Lane<Order, unknown>,
  claim: Claim<Order>,
  blockNumber: bigint,
): Promise<string | undefined> {
  try {
    return await probeReason(lane, await lane.operation.buildCall(lane.services, claim), blockNumber);
  } catch (error) {
    // What was right when the call was built need not be after it was mined; the end must not hang on the reason for it.
    if (error instanceof OperationRefused || error instanceof OperationDeferred) return undefined;
    throw error;
  }
}
