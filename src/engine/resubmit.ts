import { parseTransaction } from 'viem';
import { quantityOf } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import { offerAt, replacementOf } from './fees.ts';
import { liveAttempts, newestAttempt, offerOf } from './job.ts';
import type { AttemptRow, NewAttempt, SignedJob } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { laneSigner } from './lane-signer.ts';
import { HEALTHY } from './lane-state.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { NotNow } from './order-kind.ts';
import { isReplaceable, resendAfter } from './replacement.ts';
import { send } from './send.ts';
import { CANCEL_GAS, sign } from './sign.ts';
import { storeSigned } from './store-signed.ts';

/** The most replacements per pass; each costs a signature. */
const MAX_REPLACEMENTS = 50;
/** Pause before a key that could not be read is asked for again. */
const KEY_PAUSE_MS = 5_000;

/**
 * Resubmits what is signed but not mined: sends stored bytes again, replaces underpriced attempts, and cancels those that no node accepts or
 * that the customer has cancelled.
 */
export async function resubmit(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  unmined: readonly SignedJob[],
  head: ChainHead,
): Promise<void> {
  // Set again below if it still holds.
  if (unmined.some(({ claim }) => isCappedBy(memory, claim.orderId))) memory.condition = HEALTHY;
  const cancelled = unmined.filter((job) => needsCancel(job, memory)).slice(0, MAX_REPLACEMENTS);
  const isFirstStuck = await isStuckInPool(context, memory, unmined[0], head);
  const underpriced = unmined
    .filter(
      (job, index) => !cancelled.includes(job) && ((isFirstStuck && index === 0) || needsHigherFee(job, memory, head)),
    )
    .slice(0, MAX_REPLACEMENTS);
  const replaced = [
    ...(await replaceAttempts(context, state, memory, cancelled, head, 'cancel')),
    ...(await replaceAttempts(context, state, memory, underpriced, head, 'same')),
  ];
  const now = context.services.clock.now();
  // What could not be replaced, because the fee cap or its key rules it out, is sent again: a node may have dropped it.
  const replacedIds = new Set(replaced.map(({ transaction }) => transaction.id));
  const rebroadcasts = unmined.filter(
    (job) => !replacedIds.has(job.transaction.id) && needsRebroadcast(context, job, memory, now),
  );
  await send(context, state, memory, [...replaced, ...rebroadcasts]);
}

function isCappedBy({ condition }: LaneMemory, orderId: string): boolean {
  return condition.state === 'fee-capped' && condition.orderId === orderId;
}

/** A `cancel` is due if the effect was permanently refused or the customer asked for it. */
function needsCancel(job: SignedJob, { sendings }: LaneMemory): boolean {
  const attempt = newestAttempt(job);
  if (attempt === undefined || attempt.purpose === 'cancel') return false;
  const sending = sendings.get(job.transaction.id);
  const isRefused = sending?.hash === attempt.hash && sending.refusal !== undefined;
  return isRefused || job.transaction.cancelRequestedAt !== null;
}

function needsHigherFee(job: SignedJob, { sendings, next }: LaneMemory, head: ChainHead): boolean {
  const attempt = newestAttempt(job);
  if (attempt === undefined) return false;
  const sending = sendings.get(job.transaction.id);
  const isFirst = next?.id === job.transaction.id;
  const since = Math.max(sending?.firstBlock ?? head.number, isFirst ? next.block : 0);
  return isReplaceable({ attempt, sending, isFirst, market: head, block: head.number, since });
}

/** The interval between reads of the pending count. */
const PENDING_CHECK_MS = 500;

/**
 * Whether the node has the next transaction in line but repeatedly leaves it out of its pending count while no block arrives: a pool that
 * lost track of its order only accepts different bytes with that nonce. They are replaced once.
 */
async function isStuckInPool(
  { services: { clock }, chain, lane }: LaneContext,
  memory: LaneMemory,
  first: SignedJob | undefined,
  head: ChainHead,
): Promise<boolean> {
  const { next, sendings } = memory;
  if (first === undefined || next?.id !== first.transaction.id) return false;
  const now = clock.now();
  const sending = sendings.get(first.transaction.id);
  const isQuiet = head.number === next.block && now - next.at >= chain.blockTimeMs;
  const isKnown = sending?.isConclusive === true && !sending.underpriced && sending.refusal === undefined;
  if (!isQuiet || !isKnown || liveAttempts(first).length > 1 || now - next.checkedAt < PENDING_CHECK_MS) return false;
  const [reply] = await chain.rpc.request([
    { method: 'eth_getTransactionCount', params: [lane.walletAddress, 'pending'] },
  ]);
  const pending = quantityOf(reply);
  const isMissing = pending !== undefined && Number(pending) <= first.transaction.nonce;
  memory.next = { ...next, checkedAt: now, misses: isMissing ? next.misses + 1 : 0 };
  return memory.next.misses >= 2;
}

/** Not sent by this object yet, or not recently. */
function needsRebroadcast(
  { services: { clock }, chain }: LaneContext,
  job: SignedJob,
  { sendings }: LaneMemory,
  now: number,
): boolean {
  const attempt = newestAttempt(job);
  const sending = sendings.get(job.transaction.id);
  if (attempt === undefined) return false;
  if (sending?.hash !== attempt.hash) return true;
  const age = clock.now() - attempt.createdAt.getTime();
  return now - sending.at >= resendAfter(age, sending.isConclusive, chain.blockTimeMs);
}

async function replaceAttempts(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  jobs: readonly SignedJob[],
  head: ChainHead,
  by: 'cancel' | 'same',
): Promise<readonly SignedJob[]> {
  const stored: SignedJob[] = [];
  for (const job of jobs) {
    const attempt = await replacementFor(context, memory, job, head, by);
    if (attempt === undefined) continue;
    const refusal = by === 'cancel' ? (memory.sendings.get(job.transaction.id)?.refusal ?? null) : null;
    // Stored one by one, so that a conflict with another driver affects only one of them.
    for (const updated of await storeSigned(context, state, memory, 'signed', [attempt], refusal)) {
      if (updated.transaction.nonce !== null)
        stored.push({ ...updated, transaction: { ...updated.transaction, nonce: updated.transaction.nonce } });
    }
  }
  return stored;
}

/** @returns undefined if the fee cap, a key that cannot be read, or missing bytes rule out a replacement. */
async function replacementFor(
  context: LaneContext,
  memory: LaneMemory,
  job: SignedJob,
  head: ChainHead,
  by: 'cancel' | 'same',
): Promise<NewAttempt | undefined> {
  const { services, chain, lane } = context;
  const before = newestAttempt(job);
  if (before === undefined || services.clock.now() < memory.noKeyUntil) return undefined;
  const previous = offerOf(before);
  const offer =
    previous === undefined
      ? offerAt(head, chain.feeCap)
      : replacementOf(previous, head, chain.feeCap, chain.priceBumpPercent);
  if (offer === undefined) {
    const reason = `A replacement would exceed the cap of ${chain.feeCap.maxFeePerGas} wei per gas`;
    memory.condition = { state: 'fee-capped', orderId: job.claim.orderId, reason };
    return undefined;
  }
  const target = by === 'cancel' || before.purpose === 'cancel' ? cancelOf(job) : callOf(before);
  if (target === undefined) return undefined;
  try {
    const signer = await laneSigner(context, job.claim.account);
    const purpose = by === 'cancel' ? 'cancel' : before.purpose;
    const signing = { job, signer, purpose, ...target, nonce: job.transaction.nonce, offer } as const;
    return await sign(lane.chainId, signing, new Date(services.clock.now()));
  } catch (error) {
    if (!(error instanceof NotNow)) throw error;
    memory.noKeyUntil = services.clock.now() + KEY_PAUSE_MS;
    return undefined;
  }
}

function cancelOf({ claim }: SignedJob) {
  return { to: claim.account.walletAddress, data: '0x', gas: CANCEL_GAS } as const;
}

/** Target, data and gas limit decoded from stored bytes. */
function callOf({ raw }: AttemptRow) {
  if (raw === null) return undefined;
  const { to, data = '0x', gas } = parseTransaction(raw);
  return to === undefined || to === null || gas === undefined ? undefined : { to, data, gas };
}
