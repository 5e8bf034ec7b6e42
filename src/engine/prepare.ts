import type { PrivateKeyAccount } from 'viem/accounts';
import { SigningKeyError } from '../accounts/signing-keys.ts';
import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { estimateCalls } from './estimate.ts';
import { gasLimitFor, offerAt } from './fees.ts';
import type { GasPrice } from './fees.ts';
import { isOutOfPatience, nextTryAt, pauseDetail } from './holds.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory } from './lane-state.ts';
import { NotNow, OrderRefused } from './order-kind.ts';
import type { Call, ChainReads } from './order-kind.ts';
import type { Hold } from './store/waiting.ts';

/** Why an order ends of which nothing can be mined, where its customer asked for that. */
export const CANCELLED_UNSENT = 'Cancelled before it was sent';

/** A job with all that its signature needs, but the nonce. */
export interface ReadyJob {
  readonly job: Job;
  readonly call: Call;
  readonly gas: bigint;
  readonly signer: PrivateKeyAccount;
}

/** Why a job that has no nonce ends. */
export interface Refusal {
  readonly job: Job;
  readonly result: 'failed' | 'cancelled';
  readonly reason: string;
}

/** How each job of a chunk stands after what can fail was tried: before any nonce is taken. */
export interface Prepared {
  readonly ready: readonly ReadyJob[];
  readonly refused: readonly Refusal[];
  readonly held: readonly Hold[];
  readonly offer: GasPrice | undefined;
  /** Holds not only its job but everything that waits in the lane. */
  readonly laneHold: Hold | undefined;
}

type Verdict = ReadyJob | Refusal | Hold;

/** Does everything that can fail before a nonce is taken: the account, the key, the call, the estimate, the funds. */
export async function prepare(
  context: LaneContext,
  memory: LaneMemory,
  jobs: readonly Job[],
  head: ChainHead,
  committed: bigint,
): Promise<Prepared> {
  const now = context.services.clock.now();
  const offer = offerAt(head, context.chain.feeCap);
  const reads = createChainReads(context.chain.rpc, head.number);
  const admitted = jobs.map((job) => admit(context, job, head, now));
  const built = await Promise.all(
    admitted.map(async (verdict) => ('call' in verdict ? await withSigner(context, verdict, now) : verdict)),
  );
  const calls = built.flatMap((verdict) => ('signer' in verdict ? [verdict] : []));
  const [estimates, checks] = await Promise.all([
    estimateCalls(context, memory, calls, head, reads),
    Promise.all(calls.map(({ job }) => check(context, job, reads))),
  ]);
  const verdicts: Verdict[] = built.flatMap((verdict) => ('signer' in verdict ? [] : [verdict]));
  for (const [index, { job, call, signer }] of calls.entries()) {
    const fault = checks[index];
    const estimate = estimates[index];
    if (fault !== undefined) verdicts.push(verdictOf(context, job, fault, now));
    else if (typeof estimate === 'bigint') verdicts.push(withinCeiling(context, { job, call, signer }, estimate, head));
    else verdicts.push(verdictOf(context, job, estimate ?? new NotNow('The chain does not answer'), now));
  }
  return fund(context, jobs, verdicts, head, offer, committed, now);
}

interface BuiltCall {
  readonly job: Job;
  readonly call: Call;
}

/** What is known without asking anyone. */
function admit(context: LaneContext, job: Job, head: ChainHead, now: number): BuiltCall | Refusal | Hold {
  const { settings } = context.services;
  const { transaction, kind, claim, accountStatus, paused } = job;
  if (transaction.cancelRequestedAt !== null) {
    return { job, result: 'cancelled', reason: CANCELLED_UNSENT };
  }
  // Fillers go on: without them nothing that is signed would be mined.
  if (paused !== null && kind.orders !== null) {
    const detail = pauseDetail(paused);
    return { job, reason: 'paused', detail, nextTryAt: nextTryAt('paused', transaction.tries, now) };
  }
  if (accountStatus !== 'ACTIVE' && kind.orders !== null) {
    const detail = `The account is ${accountStatus}`;
    if (isOutOfPatience(transaction, 'inactive', settings, now)) return { job, result: 'failed', reason: detail };
    return { job, reason: 'inactive', detail, nextTryAt: nextTryAt('inactive', transaction.tries, now) };
  }
  if (transaction.notBeforeBlock !== null && head.number < transaction.notBeforeBlock) {
    const detail = `The node is at block ${head.number}, and the order builds on block ${transaction.notBeforeBlock}`;
    return { job, reason: 'not-now', detail, nextTryAt: nextTryAt('not-now', 0, now) };
  }
  try {
    return { job, call: kind.call(claim) };
  } catch (error) {
    return verdictOf(context, job, faultOf(context, job, error), now);
  }
}

/** What an error of a kind means for its order; one that it does not mean to throw is that order's alone. */
function faultOf({ services }: LaneContext, { claim }: Job, error: unknown): OrderRefused | NotNow {
  if (error instanceof OrderRefused || error instanceof NotNow) return error;
  services.log.error('order.not_prepared', { orderId: claim.orderId, error });
  return new NotNow('The service could not prepare the order');
}

async function withSigner(
  context: LaneContext,
  { job, call }: BuiltCall,
  now: number,
): Promise<Omit<ReadyJob, 'gas'> | Refusal | Hold> {
  const { keys, log } = context.services;
  const { account } = job.claim;
  try {
    return { job, call, signer: await keys.signerOf(account) };
  } catch (error) {
    if (error instanceof SigningKeyError) return { job, result: 'failed', reason: error.message };
    log.error('lane.key_unavailable', { ...context.lane, accountId: account.id, error });
    return verdictOf(context, job, new NotNow('The secrets store does not answer'), now);
  }
}

async function check(context: LaneContext, job: Job, reads: ChainReads): Promise<OrderRefused | NotNow | undefined> {
  try {
    await job.kind.check?.({ services: context.services, reads }, job.claim);
    return undefined;
  } catch (error) {
    return faultOf(context, job, error);
  }
}

function verdictOf(
  { services: { settings } }: LaneContext,
  job: Job,
  fault: OrderRefused | NotNow,
  now: number,
): Refusal | Hold {
  const { transaction } = job;
  if (fault instanceof OrderRefused) return { job, result: 'failed', reason: fault.message };
  if (isOutOfPatience(transaction, 'not-now', settings, now)) return { job, result: 'failed', reason: fault.message };
  return {
    job,
    reason: 'not-now',
    detail: fault.message,
    nextTryAt: nextTryAt('not-now', transaction.tries, now),
  };
}

/** No transaction may take more, whatever its kind says (EIP-7825). */
const MOST_GAS = 2n ** 24n;

function withinCeiling(
  { services: { settings } }: LaneContext,
  ready: Omit<ReadyJob, 'gas'>,
  estimate: bigint,
  { gasLimit }: ChainHead,
): ReadyJob | Refusal {
  const { job, call } = ready;
  const bounds = [job.kind.gasCeiling(job.claim.order, settings), gasLimit / 2n, MOST_GAS];
  const ceiling = bounds.reduce((least, bound) => (bound < least ? bound : least));
  const gas = call.gas ?? gasLimitFor(estimate, ceiling);
  const needed = call.gas !== undefined && call.gas > estimate ? call.gas : estimate;
  return needed > ceiling
    ? { job, result: 'failed', reason: `It would take ${needed} gas, and ${ceiling} is the most that it may take` }
    : { ...ready, gas };
}

/** Gives out what the wallet has, in order of acceptance; who does not get enough is held, and all that come after. */
function fund(
  { services: { settings }, lane, chain }: LaneContext,
  jobs: readonly Job[],
  verdicts: readonly Verdict[],
  { balance, baseFee }: ChainHead,
  offer: GasPrice | undefined,
  committed: bigint,
  now: number,
): Prepared {
  const byId = new Map(verdicts.map((verdict) => [verdict.job.transaction.id, verdict]));
  const ready: ReadyJob[] = [];
  const refused: Refusal[] = [];
  const held: Hold[] = [];
  let laneHold: Hold | undefined;
  let spent = committed;
  const hold = (job: Job, reason: 'funds' | 'fee-cap', detail: string) => {
    const put = { job, reason, detail, nextTryAt: nextTryAt(reason, job.transaction.tries, now) };
    held.push(put);
    laneHold ??= put;
  };
  for (const job of jobs) {
    const verdict = byId.get(job.transaction.id);
    if (verdict === undefined) continue;
    if ('result' in verdict) refused.push(verdict);
    else if ('nextTryAt' in verdict) held.push(verdict);
    else if (offer === undefined) {
      const cap = chain.feeCap.maxFeePerGas;
      hold(
        job,
        'fee-cap',
        `Chain ${lane.chainId} asks ${baseFee} wei per gas, and ${cap} is the most that may be offered`,
      );
    } else {
      const cost = verdict.gas * offer.maxFeePerGas;
      if (spent + cost <= balance) {
        spent += cost;
        ready.push(verdict);
        continue;
      }
      const missing = spent + cost - balance;
      const detail = `The wallet ${job.claim.account.walletAddress} lacks ${missing} wei on chain ${lane.chainId}: the order may cost ${cost}, ${spent} are committed to others, and it has ${balance}`;
      if (isOutOfPatience(job.transaction, 'funds', settings, now))
        refused.push({ job, result: 'failed', reason: detail });
      else hold(job, 'funds', detail);
    }
  }
  return { ready, refused, held, offer, laneHold };
}
