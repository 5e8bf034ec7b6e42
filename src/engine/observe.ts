import type { ChainHead } from './chain-head.ts';
import { depthNeeded, endByReceipt, shownBy } from './examine-receipt.ts';
import type { Shown } from './examine-receipt.ts';
import { recheckConfirmed } from './finality.ts';
import { halved, isStalled } from './in-flight-window.ts';
import type { SignedJob } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { findNonceTakers } from './nonce-takers.ts';
import { findReceipts } from './receipts.ts';
import type { Found } from './receipts.ts';
import { rescue } from './rescue.ts';
import { settle } from './settle.ts';
import type { End } from './settle.ts';
import { markSent } from './store/under-way.ts';
import { giveUpNonce } from './store/waiting.ts';

/** Receipts of so many transactions are looked for at a time. */
const AT_ONCE = 400;
/** A node may show that a nonce is used before it shows the receipt: for so long nobody is suspected. */
const PATIENCE_MS = 3_000;

/** One look at everything of a lane that is signed: settles what is mined, and looks after the rest. */
export async function observe(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  head: ChainHead,
): Promise<void> {
  const { inFlight } = state;
  const used = inFlight.filter(({ transaction }) => transaction.nonce < head.count);
  const unmined = inFlight.filter(({ transaction }) => transaction.nonce >= head.count);
  noteProgress(state, memory, head, unmined);
  await settleMined(context, state, memory, used, head);
  await findLosses(context, state, memory, head);
  await markUnmined(context, memory, unmined);
  await rescue(context, state, memory, unmined, head);
  await recheckConfirmed(context, state, memory, head);
}

/** Who is next in line, and whether the lane moves; what does not move halves its window. */
function noteProgress(state: LaneState, memory: LaneMemory, head: ChainHead, unmined: readonly SignedJob[]): void {
  const [first] = unmined;
  if (first === undefined) memory.line = undefined;
  else if (memory.line?.id !== first.transaction.id) {
    const { id } = first.transaction;
    memory.line = { id, block: head.number, at: head.readAt, askedAt: head.readAt, denials: 0 };
  }

  const { progress } = memory;
  if (first === undefined || head.count > progress.count) {
    memory.progress = { block: head.number, at: head.readAt, count: head.count };
  } else if (
    head.number > progress.block &&
    isStalled(head.number - progress.block) &&
    state.stalledAt !== head.number
  ) {
    state.stalledAt = head.number;
    state.window = halved(state.window);
  }
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
        (memory.notBefore.get(id) ?? 0) <= head.number && (memory.unwritable.get(id) ?? 0) <= head.readAt,
    )
    .slice(0, AT_ONCE);
  if (due.length === 0) return;
  const found = await findReceipts(chain, due, head);
  const ends: End[] = [];
  const examined: { readonly found: Found; readonly shown: Shown }[] = [];
  for (const job of due) {
    const { id } = job.transaction;
    const own = found.get(job);
    if (own === undefined) {
      memory.notBefore.delete(id);
      if (!memory.missing.has(id)) memory.missing.set(id, { block: head.number, at: head.readAt });
      continue;
    }
    memory.missing.delete(id);
    const shown = readable(context, own);
    if (shown === undefined) continue;
    const deepAt = own.receipt.blockNumber + depthNeeded(shown, chain) - 1;
    if (deepAt > head.number) memory.notBefore.set(id, deepAt);
    else examined.push({ found: own, shown });
  }
  const results = await Promise.all(
    examined.map(async ({ found: own, shown }) => {
      try {
        return await endByReceipt(context, own, shown, head);
      } catch (error) {
        // One order that cannot be read is no other's.
        context.services.log.error('order.not_read', { orderId: own.job.claim.orderId, error });
        return undefined;
      }
    }),
  );
  for (const end of results) if (end !== undefined) ends.push(end);
  await settle(context, state, memory, ends);
}

/** What a receipt shows; undefined where its order cannot be read, which is no other's fault. */
function readable({ services }: LaneContext, found: Found): Shown | undefined {
  try {
    return shownBy(found);
  } catch (error) {
    services.log.error('order.not_read', { orderId: found.job.claim.orderId, error });
    return undefined;
  }
}

/** Of transactions whose nonce is used without a receipt of theirs: who used it? Only a final block body is proof. */
async function findLosses(context: LaneContext, state: LaneState, memory: LaneMemory, head: ChainHead): Promise<void> {
  const { services, lane, chain } = context;
  const lastFinal = head.number - chain.finality + 1;
  const first = state.inFlight.find(({ transaction: { id, nonce } }) => {
    const since = memory.missing.get(id);
    if (since === undefined || nonce >= head.count) return false;
    // Before that its block cannot be final, and a search would read all others in vain.
    return since.block <= lastFinal && head.readAt - since.at >= PATIENCE_MS;
  });
  if (first === undefined) return;
  const takers = await findNonceTakers(context, state, memory, first.transaction.nonce, head);
  for (const job of state.inFlight) {
    const { id, nonce } = job.transaction;
    const taker = takers.get(nonce);
    if (taker === undefined) continue;
    memory.missing.delete(id);
    if (job.attempts.some(({ hash }) => hash === taker)) continue;
    services.log.warn('transaction.nonce_lost', { ...lane, orderId: job.claim.orderId, nonce, txHash: taker });
    await giveUpNonce(services.db, lane, job, state.note(memory.condition), new Date(services.clock.now()));
    // It waits again; or another driver has changed it meanwhile.
    state.isOutdated = true;
    memory.sendings.delete(id);
    memory.seen.delete(id);
  }
}

/** SENT is told only of what is unmined at its first look: most are mined by then. */
async function markUnmined(
  { services }: LaneContext,
  memory: LaneMemory,
  unmined: readonly SignedJob[],
): Promise<void> {
  const news = unmined.filter(
    ({ transaction: { id } }) => !memory.seen.has(id) && memory.sendings.get(id)?.isQueued === false,
  );
  if (news.length === 0) return;
  await markSent(services.db, news, new Date(services.clock.now()));
  for (const { transaction } of news) memory.seen.add(transaction.id);
}
