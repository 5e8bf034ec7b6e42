import type { ChainHead } from './chain-head.ts';
import { requiredDepth, endByReceipt, interpretReceipt } from './examine-receipt.ts';
import type { ReceiptResult } from './examine-receipt.ts';
import { recheckConfirmed } from './finality.ts';
import type { SignedJob } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { updateProgress } from './lane-progress.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { findNonceConsumers } from './nonce-consumers.ts';
import { findReceipts } from './receipts.ts';
import type { FoundReceipt } from './receipts.ts';
import { resubmit } from './resubmit.ts';
import { settle } from './settle.ts';
import type { End } from './settle.ts';
import { markSent } from './store/under-way.ts';
import { giveUpNonce } from './store/waiting.ts';

/** The number of transactions whose receipts are fetched at a time. */
const BATCH_SIZE = 400;
/** A node may report a nonce as used before it has the receipt. A loss is only investigated after this time. */
const GRACE_MS = 3_000;

/** Processes a new head: settles what was mined, and resubmits or replaces the rest where needed. */
export async function observe(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  head: ChainHead,
): Promise<void> {
  const { inFlight } = state;
  const used = inFlight.filter(({ transaction }) => transaction.nonce < head.count);
  const unmined = inFlight.filter(({ transaction }) => transaction.nonce >= head.count);
  const isProgressing = head.count > memory.progress.count;
  updateProgress(context.chain, state, memory, head, unmined);
  await settleMined(context, state, memory, used, head);
  await findLosses(context, state, memory, head);
  // While some are being mined, the rest may be next.
  if (!isProgressing) await markUnmined(context, memory, unmined);
  await resubmit(context, state, memory, unmined, head);
  await recheckConfirmed(context, state, memory, head);
}

async function settleMined(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  used: readonly SignedJob[],
  head: ChainHead,
): Promise<void> {
  const { chain } = context;
  const due = used
    .filter(
      ({ transaction: { id } }) =>
        (memory.notBefore.get(id) ?? 0) <= head.number && (memory.settleRetryAt.get(id) ?? 0) <= head.readAt,
    )
    .slice(0, BATCH_SIZE);
  if (due.length === 0) return;
  const found = await findReceipts(chain, due, head);
  const ends: End[] = [];
  const examined: { readonly found: FoundReceipt; readonly result: ReceiptResult }[] = [];
  for (const job of due) {
    const { id } = job.transaction;
    const own = found.get(job);
    if (own === undefined) {
      memory.notBefore.delete(id);
      if (!memory.missing.has(id)) memory.missing.set(id, { block: head.number, at: head.readAt });
      continue;
    }
    memory.missing.delete(id);
    const result = tryInterpret(context, own);
    if (result === undefined) continue;
    const deepEnoughAt = own.receipt.blockNumber + requiredDepth(result, chain) - 1;
    if (deepEnoughAt > head.number) memory.notBefore.set(id, deepEnoughAt);
    else examined.push({ found: own, result });
  }
  const results = await Promise.all(
    examined.map(async ({ found: own, result }) => {
      try {
        return await endByReceipt(context, own, result, head);
      } catch (error) {
        // An order that cannot be read must not affect the others.
        context.services.log.error('order.not_read', { orderId: own.job.claim.orderId, error });
        return undefined;
      }
    }),
  );
  for (const end of results) if (end !== undefined) ends.push(end);
  await settle(context, state, memory, ends);
}

/** @returns undefined if the order cannot be read, which must not affect the others. */
function tryInterpret({ services }: LaneContext, found: FoundReceipt): ReceiptResult | undefined {
  try {
    return interpretReceipt(found);
  } catch (error) {
    services.log.error('order.not_read', { orderId: found.job.claim.orderId, error });
    return undefined;
  }
}

/** Finds out who used the nonces of transactions that have no receipt. Only the body of a final block is proof. */
async function findLosses(context: LaneContext, state: LaneState, memory: LaneMemory, head: ChainHead): Promise<void> {
  const { services, lane } = context;
  const first = state.inFlight.find(({ transaction: { id, nonce } }) => {
    const since = memory.missing.get(id);
    return since !== undefined && nonce < head.count && head.readAt - since.at >= GRACE_MS;
  });
  if (first === undefined) return;
  const { id: firstId, nonce: firstNonce } = first.transaction;
  const usedAt = memory.missing.get(firstId)?.block ?? head.number;
  const consumers = await findNonceConsumers(context, state, memory, { nonce: firstNonce, usedAt }, head);
  for (const job of state.inFlight) {
    const { id, nonce } = job.transaction;
    const consumer = consumers.get(nonce);
    if (consumer === undefined) continue;
    memory.missing.delete(id);
    if (job.attempts.some(({ hash }) => hash === consumer)) continue;
    const at = new Date(services.clock.now());
    const isLost = await giveUpNonce(services.db, lane, job, state.snapshot(memory.condition), at);
    const fields = { ...lane, orderId: job.claim.orderId, nonce, txHash: consumer };
    if (isLost) services.log.warn('transaction.nonce_lost', fields);
    // It is waiting again, or another driver has changed it in the meantime, and the consumer may be its replacement.
    state.isOutdated = true;
    memory.sendings.delete(id);
    memory.seen.delete(id);
  }
}

/** Only transactions that are still unmined when first observed become SENT; most are mined by then. */
async function markUnmined(
  { services }: LaneContext,
  memory: LaneMemory,
  unmined: readonly SignedJob[],
): Promise<void> {
  const unseen = unmined.filter(
    ({ transaction: { id } }) => !memory.seen.has(id) && memory.sendings.get(id)?.isQueued === false,
  );
  if (unseen.length === 0) return;
  await markSent(services.db, unseen, new Date(services.clock.now()));
  for (const { transaction } of unseen) memory.seen.add(transaction.id);
}
