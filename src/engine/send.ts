import { newestAttempt, type Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { Driver } from './driver.ts';
import type { Hex } from 'viem';
import { oneLine, type RpcReply } from '../chains/rpc-exchange.ts';
import type { EpochMs } from '../core/epoch-ms.ts';

/**
 * Sends the newest stored attempts of jobs, lowest nonce first, and to each node what the first one does not take, or
 * has taken before and may have passed on to none. The replies are kept: they decide whether an attempt is replaced.
 * Bytes without a conclusive reply are assumed sent.
 */
export async function send(driver: Driver, jobs: readonly Job[]): Promise<void> {
  const { services, chain, lane, memory } = driver;
  const ordered = jobs
    .flatMap((job) => {
      const attempt = newestAttempt(job);
      if (attempt === undefined) return [];
      const { hash, raw, nonce } = attempt;
      const { sending } = memory.tracked.of(job.transaction.id);
      return [{ job, hash, raw, nonce, isRepeated: sending?.hash === hash && !sending.isQueued }];
    })
    .toSorted((a, b) => a.nonce - b.nonce);
  // The next run reads and sends the rest.
  if (ordered.length === 0 || !driver.maySend) return;
  const at = services.clock.now();
  // Recorded before they are sent, so that the watching loop does not send them too.
  for (const { job, hash } of ordered) recordSending(driver, job, hash, { at });
  const outcomes = await sendToNodes(chain, ordered, driver.endOfSending());
  const counts: Record<string, number> = {};
  for (const [index, { job, hash }] of ordered.entries()) {
    const outcome = outcomes[index] ?? { kind: 'unknown' };
    counts[outcome.kind] = (counts[outcome.kind] ?? 0) + 1;
    recordSending(driver, job, hash, { at, outcome });
    const { orderId } = job.claim;
    memory.recover('empty', orderId);
    const reason = 'The wallet cannot pay for the signed transactions';
    if (outcome.kind === 'no-funds') memory.report({ state: 'empty', orderId, reason });
  }
  services.log.info('lane.sent', { ...lane, sent: ordered.length, ...counts });
}

function isSettled(outcome: SendOutcome | undefined): boolean {
  return outcome?.kind === 'taken' || outcome?.kind === 'nonce-too-low';
}

async function sendToNodes(
  { rpc }: LaneContext['chain'],
  sent: readonly { readonly raw: Hex; readonly isRepeated: boolean }[],
  end: AbortSignal,
): Promise<readonly SendOutcome[]> {
  const calls = sent.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] }));
  const replies = await rpc.request(calls, end);
  const outcomes = replies.map(classifySendReply);
  const open = calls.filter((_, index) => sent[index]?.isRepeated === true || !isSettled(outcomes[index]));
  if (open.length === 0 || rpc.providers === 1) return outcomes;
  const others = await rpc.requestOfEach(open, end);
  return calls.map((call, index) => {
    const own = outcomes[index] ?? { kind: 'unknown' };
    const place = open.indexOf(call);
    return place < 0
      ? own
      : combineOutcomes(others.map((each) => classifySendReply(each[place] ?? { lost: 'no answer' })));
  });
}

/** How long queued attempts are left to the queue; longer than sending everything ahead of them takes. */
const QUEUED_MS = 10_000;

/** Marks the newest attempts of jobs as queued for sending. */
export function markQueued(driver: Driver, jobs: readonly Job[]): void {
  const { services } = driver;
  const at = services.clock.now() + QUEUED_MS;
  for (const job of jobs) {
    const attempt = newestAttempt(job);
    if (attempt !== undefined) recordSending(driver, job, attempt.hash, { at, isQueued: true });
  }
}

/** Rejections that are further apart do not show that all nodes rejected the bytes in between. */
const LONGEST_UNASKED_MS = 60_000;

function recordSending(
  { head, memory: { tracked } }: Driver,
  { transaction: { id } }: Job,
  hash: Hex,
  {
    at,
    isQueued = false,
    outcome,
  }: { readonly at: EpochMs; readonly isQueued?: boolean; readonly outcome?: SendOutcome },
): void {
  const { sending: known } = tracked.of(id);
  const before = known?.hash === hash ? known : undefined;
  const block = head?.number ?? 0;
  const earlier = before?.rejection;
  const first = earlier !== undefined && at - earlier.lastAt <= LONGEST_UNASKED_MS ? earlier : { block, at };
  const rejection = outcome?.kind === 'rejected' ? { ...first, reason: outcome.reason, lastAt: at } : undefined;
  tracked.recordSending(id, {
    hash,
    firstBlock: before?.firstBlock ?? block,
    at,
    isQueued,
    isConclusive: outcome !== undefined && outcome.kind !== 'unknown' && outcome.kind !== 'rejected',
    underpriced: outcome?.kind === 'underpriced',
    refusal: outcome?.kind === 'refused' ? outcome.reason : undefined,
    // While they are being sent again, the last reply still counts.
    rejection: outcome === undefined ? before?.rejection : rejection,
  });
}

/** What a node's reply to `eth_sendRawTransaction` means for the transaction. */
export type SendOutcome =
  /** The node has these bytes. */
  | { readonly kind: 'taken' }
  /** The nonce is already mined: by these bytes, an earlier attempt or another transaction. */
  | { readonly kind: 'nonce-too-low' }
  /** The fee is too low for the pool, or to replace the previous attempt. */
  | { readonly kind: 'underpriced' }
  /** The wallet cannot pay. */
  | { readonly kind: 'no-funds' }
  /** The pool has no room for more of the wallet's transactions. */
  | { readonly kind: 'full' }
  /** The node will never accept these bytes. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The node has not accepted these bytes, for a reason that may pass or last. */
  | { readonly kind: 'rejected'; readonly reason: string }
  /** No conclusive reply: assume that the bytes were accepted. */
  | { readonly kind: 'unknown' };

const TAKEN =
  /already ?known|same hash|known transaction|already imported|already in (the )?(mem)?pool|already exists/i;
const TOO_LOW = /nonce (is )?too low|OldNonce|nonce has already been used|lower than the current nonce/i;
const UNDERPRICED =
  /underpriced|fee (cap )?too low|FeeTooLow|could not replace|ReplacementNotAllowed|less than block base fee|max fee per gas less|replacement fee/i;
const NO_FUNDS = /insufficient ?(funds|balance)|out of funds|overdraft/i;
const FULL = /pool (is )?full|queue (limit|full)|too many|limit reached for|nonce too high|no room/i;
const REFUSED =
  /intrinsic gas|exceeds (the )?block gas limit|gas limit (is )?too (high|low)|greater than .*gas limit|oversized|exceeds max (transaction )?size|tip .*higher than|priority fee .*higher|invalid sender|type not supported|init ?code size|GasLimitExceeded|gas limit cap|exceeds .*gas.*(cap|maximum)|invalid chain ?id/i;

/**
 * Classifies the reply to `eth_sendRawTransaction`, by the error messages of geth, coreth, Bor, Nethermind, Erigon and
 * anvil. Any other error is `rejected`. None can lead to an order being executed twice.
 * @internal Exported for its unit test.
 */
export function classifySendReply(reply: RpcReply): SendOutcome {
  if ('result' in reply) return { kind: 'taken' };
  if ('lost' in reply) return { kind: 'unknown' };
  const { message } = reply.error;
  if (TAKEN.test(message)) return { kind: 'taken' };
  if (TOO_LOW.test(message)) return { kind: 'nonce-too-low' };
  if (NO_FUNDS.test(message)) return { kind: 'no-funds' };
  if (UNDERPRICED.test(message)) return { kind: 'underpriced' };
  if (REFUSED.test(message)) return { kind: 'refused', reason: oneLine(message) };
  if (FULL.test(message)) return { kind: 'full' };
  return { kind: 'rejected', reason: oneLine(message) };
}

/**
 * What the replies of several nodes mean: one that has the bytes is enough, and only most of those that answer refuse
 * them for good. Of the other errors the first one counts.
 * @internal Exported for its unit test.
 */
export function combineOutcomes(outcomes: readonly SendOutcome[]): SendOutcome {
  const answers = outcomes.filter(({ kind }) => kind !== 'unknown');
  const refusals = answers.filter((answer) => answer.kind === 'refused');
  const others = answers.filter(({ kind }) => kind !== 'refused');
  const [refusal] = refusals;
  const taken = others.find(({ kind }) => kind === 'taken') ?? others.find(({ kind }) => kind === 'nonce-too-low');
  if (taken !== undefined || refusal === undefined) return taken ?? others[0] ?? { kind: 'unknown' };
  return refusals.length > others.length ? refusal : (others[0] ?? refusal);
}
