import type { PrivateKeyAccount } from 'viem/accounts';
import { SigningKeyError } from '../accounts/signing-keys.ts';
import { forbiddenBy, gasPriceDetail, overspendOf, spendLimitsOf } from './account-limits.ts';
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
  readonly offer: GasPrice;
}

/** A job as it stands before it is known whether its cost can be paid. */
type PricedJob = Omit<ReadyJob, 'offer'>;

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
  /** Holds not only its job but everything that waits in the lane. */
  readonly laneHold: Hold | undefined;
}

type Verdict = PricedJob | Refusal | Hold;

/** Does everything that can fail before a nonce is taken: the account, the key, the call, the estimate, the funds. */
export async function prepare(
  context: LaneContext,
  memory: LaneMemory,
  jobs: readonly Job[],
  head: ChainHead,
  committed: bigint,
): Promise<Prepared> {
  const now = context.services.clock.now();
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
  return fund(context, jobs, verdicts, head, committed, now);
}

interface BuiltCall {
  readonly job: Job;
  readonly call: Call;
}

/** What is known without asking anyone. */
function admit(context: LaneContext, job: Job, head: ChainHead, now: number): BuiltCall | Refusal | Hold {
  const { settings } = context.services;
  const { transaction, kind, claim, accountStatus, paused, standing } = job;
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
  const forbidden =
    standing === null
      ? undefined
      : forbiddenBy(standing.limits, transaction.chainId, claim.account.walletAddress, kind.parties(claim.order));
  if (forbidden !== undefined && kind.orders !== null) {
    return { job, reason: 'limit', detail: forbidden, nextTryAt: nextTryAt('limit', transaction.tries, now) };
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
): Promise<Omit<PricedJob, 'gas'> | Refusal | Hold> {
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
  ready: Omit<PricedJob, 'gas'>,
  estimate: bigint,
  { gasLimit }: ChainHead,
): PricedJob | Refusal {
  const { job, call } = ready;
  const bounds = [job.kind.gasCeiling(job.claim.order, settings), gasLimit / 2n, MOST_GAS];
  const ceiling = bounds.reduce((least, bound) => (bound < least ? bound : least));
  const gas = call.gas ?? gasLimitFor(estimate, ceiling);
  const needed = call.gas !== undefined && call.gas > estimate ? call.gas : estimate;
  return needed > ceiling
    ? { job, result: 'failed', reason: `It would take ${needed} gas, and ${ceiling} is the most that it may take` }
    : { ...ready, gas };
}

/** Gives out what the wallet has and the limits allow, in order of acceptance; who does not get enough of the wallet is held, and all that come after. */
function fund(
  { services: { settings }, lane, chain }: LaneContext,
  jobs: readonly Job[],
  verdicts: readonly Verdict[],
  head: ChainHead,
  committed: bigint,
  now: number,
): Prepared {
  const { balance, baseFee } = head;
  const byId = new Map(verdicts.map((verdict) => [verdict.job.transaction.id, verdict]));
  const ready: ReadyJob[] = [];
  const refused: Refusal[] = [];
  const held: Hold[] = [];
  let laneHold: Hold | undefined;
  let spent = committed;
  const spentBy = new Map<string, bigint>();
  const hold = (job: Job, reason: 'funds' | 'fee-cap' | 'limit', detail: string) => {
    const put = { job, reason, detail, nextTryAt: nextTryAt(reason, job.transaction.tries, now) };
    held.push(put);
    if (reason !== 'limit') laneHold ??= put;
  };
  const offer = offerAt(head, chain.feeCap);
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
      const { account } = job.claim;
      const spentOfAccount = spentBy.get(account.id) ?? 0n;
      const allowed = limitedOffer(job, verdict.gas, { head, cap: chain.feeCap, offer }, spentOfAccount);
      if (typeof allowed === 'string') {
        hold(job, 'limit', allowed);
        continue;
      }
      const cost = verdict.gas * allowed.maxFeePerGas;
      if (spent + cost <= balance) {
        spent += cost;
        spentBy.set(account.id, spentOfAccount + cost);
        ready.push({ ...verdict, offer: allowed });
        continue;
      }
      const missing = spent + cost - balance;
      const detail = `The wallet ${account.walletAddress} lacks ${missing} wei on chain ${lane.chainId}: the order may cost ${cost}, ${spent} are committed to others, and it has ${balance}`;
      if (isOutOfPatience(job.transaction, 'funds', settings, now))
        refused.push({ job, result: 'failed', reason: detail });
      else hold(job, 'funds', detail);
    }
  }
  return { ready, refused, held, laneHold };
}

/**
 * What an account with limits offers; a filler has none.
 * @param spent Wei that the account's orders before this one in the chunk may cost.
 * @returns why the order waits, where the limits do not allow it now.
 */
function limitedOffer(
  { standing, kind, transaction }: Job,
  gas: bigint,
  { head, cap, offer }: { readonly head: ChainHead; readonly cap: GasPrice; readonly offer: GasPrice },
  spent: bigint,
): GasPrice | string {
  if (standing === null || kind.orders === null) return offer;
  const { gasPrice } = spendLimitsOf(standing.limits, transaction.chainId);
  const most = gasPrice === null || BigInt(gasPrice) > cap.maxFeePerGas ? cap.maxFeePerGas : BigInt(gasPrice);
  const own = offerAt(head, { ...cap, maxFeePerGas: most });
  if (own === undefined) return gasPriceDetail(head.baseFee, most);
  const { chainId } = transaction;
  return overspendOf(standing.limits, chainId, gas * own.maxFeePerGas, standing.spentToday + spent) ?? own;
}
