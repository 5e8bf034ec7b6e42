import { parseTransaction } from 'viem';
import { integerOf } from '../chains/rpc-values.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import type { ChainHead } from './chain-head.ts';
import { offerAt, replacementOf, TRANSFER_GAS, type GasMarket } from './fees.ts';
import {
  isSigned,
  liveAttempts,
  newestAttempt,
  offerOf,
  type AttemptRow,
  type NewAttempt,
  type SignedJob,
} from './job.ts';
import { KEY_PAUSE_MS, laneSigner } from './lane-signer.ts';
import type { Driver } from './driver.ts';
import { NotNow } from './order-kind.ts';
import { send } from './send.ts';
import { sign, storeSigned } from './sign.ts';
import type { Sending } from './tracked-transactions.ts';

/** The most replacements per pass; each costs a signature. */
const MAX_REPLACEMENTS = 50;

/**
 * Resubmits what is signed but not mined: sends stored bytes again, replaces underpriced attempts, and cancels those
 * that no node accepts or that the customer has cancelled.
 */
export async function resubmit(driver: Driver, unmined: readonly SignedJob[], head: ChainHead): Promise<void> {
  // Set again below if it still holds.
  for (const { claim } of unmined) driver.memory.recover('fee-capped', claim.orderId);
  const isFirstStuck = await isStuckInPool(driver, unmined[0], head);
  const due = unmined.map((job, index) => {
    const isFirst = index === 0;
    return {
      job,
      by: replacementDue(driver, job, head, isFirst) ?? (isFirst && isFirstStuck ? 'same' : undefined),
    };
  });
  const replaced: SignedJob[] = [];
  for (const purpose of ['cancel', 'same'] as const) {
    const jobs = due.flatMap(({ job, by }) => (by === purpose ? [job] : [])).slice(0, MAX_REPLACEMENTS);
    replaced.push(...(await replaceAttempts(driver, jobs, head, purpose)));
  }
  const now = driver.services.clock.now();
  // What could not be replaced, because the fee cap or its key rules it out, is sent again: a node may have dropped it.
  const replacedIds = new Set(replaced.map(({ transaction }) => transaction.id));
  const rebroadcasts = unmined.filter(
    (job) => !replacedIds.has(job.transaction.id) && needsRebroadcast(driver, job, now, job === unmined[0]),
  );
  await send(driver, [...replaced, ...rebroadcasts]);
}

/**
 * Whether the newest attempt is to be replaced: by a `cancel` if the customer asked for it or no node will ever accept
 * the bytes, by the same call with another price if that helps. What is next in line and no node has accepted for a
 * while is offered for less, because nodes limit the fee of a transaction, or else cancelled. With the same nonce each
 * is safe.
 */
function replacementDue(
  driver: Driver,
  job: SignedJob,
  head: ChainHead,
  isFirst: boolean,
): 'cancel' | 'same' | undefined {
  const { chain, memory } = driver;
  const attempt = newestAttempt(job);
  const { sending } = memory.tracked.of(job.transaction.id);
  if (attempt === undefined) return undefined;
  const isCurrent = sending?.hash === attempt.hash;
  const isEffect = attempt.purpose === 'effect';
  if (isEffect && (driver.isWithdrawn(job) || (isCurrent && sending.refusal !== undefined))) return 'cancel';
  if (isFirst && isCurrent && isLasting(sending.rejection, head, REPRICE_MS)) {
    const price = offerAt(head, chain)?.maxFeePerGas;
    if (price !== undefined && 2n * price <= offerOf(attempt).maxFeePerGas) return 'same';
    if (isEffect && isLasting(sending.rejection, head, GIVE_UP_MS)) return 'cancel';
  }
  const since = Math.max(sending?.firstBlock ?? head.number, isFirst ? (memory.progress.next?.block ?? 0) : 0);
  return isReplaceable({ attempt, sending, isFirst, market: head, block: head.number, since }) ? 'same' : undefined;
}

/** After so many blocks in which no node accepted the next transaction in line, it is replaced. */
const REJECTED_BLOCKS = 3;
/** After so long it is offered for less, and then cancelled: a node's own fault may last a while. */
const REPRICE_MS = 30_000;
const GIVE_UP_MS = 300_000;

/** Whether a rejection has lasted so long. Silence of the nodes is no rejection: the time until the last one counts. */
function isLasting(rejection: Sending['rejection'], { number }: ChainHead, milliseconds: number): boolean {
  if (rejection === undefined) return false;
  return number - rejection.block >= REJECTED_BLOCKS && rejection.lastAt - rejection.at >= milliseconds;
}

/** The interval between reads of the pending count. */
const PENDING_CHECK_MS = 500;

/**
 * Whether the node has the next transaction in line but repeatedly leaves it out of its pending count while no block
 * arrives: a pool that lost track of its order only accepts different bytes with that nonce. They are replaced once.
 */
async function isStuckInPool(
  { services: { clock }, chain, lane, memory }: Driver,
  first: SignedJob | undefined,
  head: ChainHead,
): Promise<boolean> {
  const { next } = memory.progress;
  if (first === undefined || next?.id !== first.transaction.id) return false;
  const now = clock.now();
  const { sending } = memory.tracked.of(first.transaction.id);
  const isQuiet = head.number === next.block && now - next.at >= chain.blockTimeMs;
  const isKnown = sending?.isConclusive === true && !sending.underpriced && sending.refusal === undefined;
  if (!isQuiet || !isKnown || liveAttempts(first).length > 1 || now - next.checkedAt < PENDING_CHECK_MS) return false;
  const [reply] = await chain.rpc.request([
    { method: 'eth_getTransactionCount', params: [lane.walletAddress, 'pending'] },
  ]);
  const pending = integerOf(reply);
  const isExcluded = pending !== undefined && pending <= first.transaction.nonce;
  return memory.progress.recordCheck(next, now, isExcluded) >= 2;
}

/** Not sent by this object yet, or not recently. */
function needsRebroadcast(
  { services: { clock }, chain, memory }: Driver,
  job: SignedJob,
  now: EpochMs,
  isFirst: boolean,
): boolean {
  const attempt = newestAttempt(job);
  const { sending } = memory.tracked.of(job.transaction.id);
  if (attempt === undefined) return false;
  if (sending?.hash !== attempt.hash) return true;
  const age = clock.now() - attempt.createdAt.getTime();
  const { isConclusive, rejection } = sending;
  const longest = isFirst && rejection !== undefined ? LONGEST_REJECTED_MS : LONGEST_MS;
  return now - sending.at >= resendAfter(age, isConclusive, chain.blockTimeMs, longest);
}

async function replaceAttempts(
  driver: Driver,
  jobs: readonly SignedJob[],
  head: ChainHead,
  by: 'cancel' | 'same',
): Promise<readonly SignedJob[]> {
  const stored: SignedJob[] = [];
  for (const job of jobs) {
    const attempt = await replacementFor(driver, job, head, by);
    if (attempt === undefined) continue;
    const { refusal: lasting, rejection } = driver.memory.tracked.of(job.transaction.id).sending ?? {};
    const isAsked = driver.isWithdrawn(job);
    const refusal = by === 'cancel' && !isAsked ? (lasting ?? rejection?.reason ?? null) : null;
    // Stored one by one, so that a conflict with another driver affects only one of them.
    stored.push(...(await storeSigned(driver, 'signed', [attempt], refusal)).filter(isSigned));
  }
  return stored;
}

/** @returns undefined if a fee cap, or a key that cannot be read, rules out a replacement. */
async function replacementFor(
  driver: Driver,
  job: SignedJob,
  head: ChainHead,
  by: 'cancel' | 'same',
): Promise<NewAttempt | undefined> {
  const { services, chain, lane } = driver;
  const before = newestAttempt(job);
  if (before === undefined || services.clock.now() < driver.memory.retryAt('key')) return undefined;
  const { sending } = driver.memory.tracked.of(job.transaction.id);
  const isHeld = sending?.hash !== before.hash || (sending.refusal === undefined && sending.rejection === undefined);
  const previous = offerOf(before);
  const purpose = by === 'cancel' ? 'cancel' : before.purpose;
  const market = offerAt(head, chain);
  const outbid = replacementOf(previous, head, chain, purpose === 'cancel' ? 'cancel' : 'replacement');
  // What no node holds need not be outbid if less is enough, or no more is allowed. Otherwise it is: one may have taken
  // it since.
  const isLess = market !== undefined && ('cappedBy' in outbid || market.maxFeePerGas < previous.maxFeePerGas);
  const offer = isLess && !isHeld ? market : outbid;
  if ('cappedBy' in offer) {
    const { cappedBy } = offer;
    const reason = `A replacement would need more ${cappedBy} than the cap of ${chain.feeCap[cappedBy]} wei allows`;
    driver.memory.report({ state: 'fee-capped', orderId: job.claim.orderId, reason });
    return undefined;
  }
  const target = purpose === 'cancel' ? cancelOf(job) : callOf(before);
  if (target === undefined) return undefined;
  try {
    const signer = await laneSigner(driver, job.claim.account);
    const signing = { job, signer, purpose, ...target, nonce: job.transaction.nonce, offer } as const;
    return await sign(lane.chainId, signing, new Date(services.clock.now()));
  } catch (error) {
    if (!(error instanceof NotNow)) throw error;
    driver.memory.retryLater('key', services.clock.now() + KEY_PAUSE_MS);
    return undefined;
  }
}

function cancelOf({ claim }: SignedJob) {
  return { to: claim.account.walletAddress, data: '0x', gas: TRANSFER_GAS } as const;
}

/** Target, data and gas limit decoded from stored bytes. */
function callOf({ raw }: AttemptRow) {
  const { to, data = '0x', gas } = parseTransaction(raw);
  return to === undefined || to === null || gas === undefined ? undefined : { to, data, gas };
}

/**
 * How many blocks the next transaction in line may stay unmined before a higher suggested tip justifies a replacement.
 */
const PATIENT_BLOCKS = 3;

/** What decides whether an attempt is replaced by one with higher fees. */
export interface ReplacementCase {
  readonly attempt: AttemptRow;
  /** The result of the last send; undefined if this object has not sent it. */
  readonly sending: Sending | undefined;
  /** Whether its nonce is the next to be mined. */
  readonly isFirst: boolean;
  readonly market: GasMarket;
  readonly block: number;
  /** The head's block number when it was first sent or became next in line, whichever is later. */
  readonly since: number;
}

/**
 * Whether to replace an attempt by one with the same nonce and higher fees: only if the head has advanced since, and
 * the node reports it as underpriced, or the base fee is above its offer, or it has been next in line for several
 * blocks and the suggested tip is 10 % above its own. An empty wallet, a refusal or a chain without new blocks is never
 * a reason.
 * @internal Exported for its unit test.
 */
export function isReplaceable({ attempt, sending, isFirst, market, block, since }: ReplacementCase): boolean {
  if (block <= since) return false;
  const offer = offerOf(attempt);
  const isCurrent = sending?.hash === attempt.hash;
  if (isCurrent && sending.underpriced) return true;
  if (market.baseFee > offer.maxFeePerGas) return true;
  return isFirst && block - since >= PATIENT_BLOCKS && market.tip * 10n > offer.maxPriorityFeePerGas * 11n;
}

/** The longest interval before bytes are sent again. */
const LONGEST_MS = 120_000;
/**
 * The same for a rejected transaction that is next in line. It is cancelled if the rejection lasts, and a few tries
 * cannot tell that from a fault that comes and goes.
 */
const LONGEST_REJECTED_MS = 10_000;

/**
 * The interval before sent but unmined bytes are sent again, in milliseconds. It grows with the attempt's age.
 * @param isConclusive Whether the node's last reply says what it did with them.
 * @internal Exported for its unit test.
 */
export function resendAfter(
  attemptAgeMs: number,
  isConclusive: boolean,
  blockTimeMs: number,
  longestMs: number,
): number {
  const minimum = isConclusive ? Math.max(5 * blockTimeMs, 5_000) : 1_000;
  return Math.min(longestMs, Math.max(minimum, attemptAgeMs / 2));
}
