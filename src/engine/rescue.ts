import { parseTransaction } from 'viem';
import { quantityOf } from './chain-head.ts';
import type { ChainHead } from './chain-head.ts';
import { offerAt, replacementOf } from './fees.ts';
import { liveAttempts, newestAttempt, offerOf } from './job.ts';
import type { AttemptRow, NewAttempt, SignedJob } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { laneSigner } from './lane-signer.ts';
import { GOOD } from './lane-state.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { NotNow } from './order-kind.ts';
import { isReplaceable, resendAfter } from './replacement.ts';
import { send } from './send.ts';
import { CANCEL_GAS, sign } from './sign.ts';
import { storeSigned } from './store-signed.ts';

/** Replacements of one look: they cost a signature each. */
const AT_ONCE = 50;
/** Pause before a key that could not be read is asked for again. */
const KEY_PAUSE_MS = 5_000;

/**
 * Looks after what is signed and not mined: sends stored bytes again, replaces those that offer too little, and takes the place of those that no node takes or that the
 * customer has cancelled.
 */
export async function rescue(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  unmined: readonly SignedJob[],
  head: ChainHead,
): Promise<void> {
  // Said again below, while it is so.
  if (unmined.some(({ claim }) => isCappedBy(memory, claim.orderId))) memory.condition = GOOD;
  const cancelled = unmined.filter((job) => needsCancel(job, memory)).slice(0, AT_ONCE);
  const hidden = await isHidden(context, memory, unmined[0], head);
  const dear = unmined
    .filter((job, index) => !cancelled.includes(job) && ((hidden && index === 0) || needsMore(job, memory, head)))
    .slice(0, AT_ONCE);
  const replaced = [
    ...(await replaceAll(context, state, memory, cancelled, head, 'cancel')),
    ...(await replaceAll(context, state, memory, dear, head, 'same')),
  ];
  const now = context.services.clock.now();
  const gone = new Set([...cancelled, ...replaced].map(({ transaction }) => transaction.id));
  const late = unmined.filter((job) => !gone.has(job.transaction.id) && isLate(context, job, memory, now));
  await send(context, state, memory, [...replaced, ...late]);
}

function isCappedBy({ condition }: LaneMemory, orderId: string): boolean {
  return condition.state === 'fee-capped' && condition.orderId === orderId;
}

/** A `cancel` is due: the effect was refused for good, or the customer wants it gone. */
function needsCancel(job: SignedJob, { sendings }: LaneMemory): boolean {
  const attempt = newestAttempt(job);
  if (attempt === undefined || attempt.purpose === 'cancel') return false;
  const sending = sendings.get(job.transaction.id);
  const isRefused = sending?.hash === attempt.hash && sending.refusal !== undefined;
  return isRefused || job.transaction.cancelRequestedAt !== null;
}

function needsMore(job: SignedJob, { sendings, line }: LaneMemory, head: ChainHead): boolean {
  const attempt = newestAttempt(job);
  if (attempt === undefined) return false;
  const sending = sendings.get(job.transaction.id);
  const isFirst = line?.id === job.transaction.id;
  const since = Math.max(sending?.firstBlock ?? head.number, isFirst ? line.block : 0);
  return isReplaceable({ attempt, sending, isFirst, market: head, block: head.number, since });
}

/** Pause between questions whether a node could mine what it has. */
const ASK_MS = 500;

/**
 * Whether the node has the bytes of the next in line, and yet does not count them among what it could mine, again and again while no block comes: a pool that has lost
 * the order of its transactions takes only other bytes with that nonce. They are replaced once.
 */
async function isHidden(
  { services: { clock }, chain, lane }: LaneContext,
  memory: LaneMemory,
  first: SignedJob | undefined,
  head: ChainHead,
): Promise<boolean> {
  const { line, sendings } = memory;
  if (first === undefined || line?.id !== first.transaction.id) return false;
  const now = clock.now();
  const sending = sendings.get(first.transaction.id);
  const isQuiet = head.number === line.block && now - line.at >= chain.blockTimeMs;
  const isKnown = sending?.isClear === true && !sending.underpriced && sending.refusal === undefined;
  if (!isQuiet || !isKnown || liveAttempts(first).length > 1 || now - line.askedAt < ASK_MS) return false;
  const [reply] = await chain.rpc.request([
    { method: 'eth_getTransactionCount', params: [lane.walletAddress, 'pending'] },
  ]);
  const pending = quantityOf(reply);
  const isDenied = pending !== undefined && Number(pending) <= first.transaction.nonce;
  memory.line = { ...line, askedAt: now, denials: isDenied ? line.denials + 1 : 0 };
  return memory.line.denials >= 2;
}

/** Never sent by this object, or not for a while. */
function isLate(
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
  return now - sending.at >= resendAfter(age, sending.isClear, chain.blockTimeMs);
}

async function replaceAll(
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
    // One by one: another driver's replacement of one must not keep the others from theirs.
    for (const now of await storeSigned(context, state, memory, 'signed', [attempt], refusal)) {
      if (now.transaction.nonce !== null)
        stored.push({ ...now, transaction: { ...now.transaction, nonce: now.transaction.nonce } });
    }
  }
  return stored;
}

/** @returns undefined where there can be none now: the cap, a key that cannot be read, or bytes that are not known. */
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
  const former = offerOf(before);
  const offer =
    former === undefined
      ? offerAt(head, chain.feeCap)
      : replacementOf(former, head, chain.feeCap, chain.priceBumpPercent);
  if (offer === undefined) {
    const reason = `A replacement would offer more than ${chain.feeCap.maxFeePerGas} wei per gas`;
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

/** Target, data and gas of stored bytes. */
function callOf({ raw }: AttemptRow) {
  if (raw === null) return undefined;
  const { to, data = '0x', gas } = parseTransaction(raw);
  return to === undefined || to === null || gas === undefined ? undefined : { to, data, gas };
}
