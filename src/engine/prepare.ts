import type { PrivateKeyAccount } from 'viem/accounts';
import { forbiddenBy, gasPriceExcess, overspendOf, spendLimitsOf } from './account-limits.ts';
import type { Excess } from './account-limits.ts';
import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { estimateCalls } from './estimate.ts';
import { gasLimitFor, offerAt } from './fees.ts';
import type { GasPrice } from './fees.ts';
import { isHoldExpired, nextTryAt, pauseDetail } from './holds.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { laneSigner } from './lane-signer.ts';
import { NotNow, OrderRefused } from './order-kind.ts';
import type { Call, ChainReads } from './order-kind.ts';
import type { Hold } from './store/waiting.ts';

/** The reason of an order that its customer cancelled before anything of it could be mined, or that a second person refused. */
export function cancelReason({ approvalUntil }: Job['transaction']): string {
  return approvalUntil === null ? 'Cancelled before it was sent' : 'Not approved: cancelled or refused';
}

/** A job with everything that its signature needs except the nonce. */
export interface ReadyJob {
  readonly job: Job;
  readonly call: Call;
  readonly gas: bigint;
  readonly signer: PrivateKeyAccount;
  readonly offer: GasPrice;
}

/** A job whose funds are not allocated yet. */
type PricedJob = Omit<ReadyJob, 'offer'>;

/** Why a job without a nonce ends. */
export interface Refusal {
  readonly job: Job;
  readonly result: 'failed' | 'cancelled';
  readonly reason: string;
}

/** The result of preparing a chunk, before any nonce is assigned. */
export interface Prepared {
  readonly ready: readonly ReadyJob[];
  readonly refused: readonly Refusal[];
  readonly held: readonly Hold[];
  /** A hold that applies to everything waiting in the lane. */
  readonly laneHold: Hold | undefined;
}

type PreparedJob = PricedJob | Refusal | Hold;

/** Does everything that can fail before a nonce is assigned: account, key, call, estimate, funds. */
export async function prepare(
  context: LaneContext,
  jobs: readonly Job[],
  head: ChainHead,
  committed: bigint,
): Promise<Prepared> {
  const now = context.services.clock.now();
  const reads = createChainReads(context.chain, head);
  const admitted = jobs.map((job) => admit(context, job, head, now));
  const built = await Promise.all(
    admitted.map(async (entry) => ('call' in entry ? await withSigner(context, entry, now) : entry)),
  );
  const calls = built.flatMap((entry) => ('signer' in entry ? [entry] : []));
  const [estimates, checks] = await Promise.all([
    estimateCalls(context, calls, head, reads),
    Promise.all(calls.map(({ job }) => check(context, job, reads))),
  ]);
  const results: PreparedJob[] = built.flatMap((entry) => ('signer' in entry ? [] : [entry]));
  for (const [index, { job, call, signer }] of calls.entries()) {
    const failure = checks[index];
    const estimate = estimates[index];
    if (failure !== undefined) results.push(refuseOrHold(context, job, failure, now));
    else if (typeof estimate === 'bigint') results.push(withinCeiling(context, { job, call, signer }, estimate, head));
    else results.push(refuseOrHold(context, job, estimate ?? new NotNow('The chain does not answer'), now));
  }
  return allocateFunds(context, jobs, results, head, committed, now);
}

interface BuiltCall {
  readonly job: Job;
  readonly call: Call;
}

/** Checks that need no I/O. */
function admit(context: LaneContext, job: Job, head: ChainHead, now: number): BuiltCall | Refusal | Hold {
  const { settings } = context.services;
  const { transaction, kind, claim, accountStatus, paused, standing } = job;
  if (transaction.cancelRequestedAt !== null) {
    return { job, result: 'cancelled', reason: cancelReason(transaction) };
  }
  const { approvalUntil } = transaction;
  if (approvalUntil !== null) {
    if (now >= approvalUntil.getTime())
      return { job, result: 'failed', reason: `Not approved by ${approvalUntil.toISOString()}` };
    return { job, reason: 'not-now', detail: 'A second person must approve it', nextTryAt: approvalUntil };
  }
  // Fillers continue: without them nothing already signed could be mined.
  if (paused !== null && kind.orders !== null) {
    const detail = pauseDetail(paused);
    return { job, reason: 'paused', detail, nextTryAt: nextTryAt('paused', transaction.tries, now) };
  }
  if (accountStatus !== 'ACTIVE' && kind.orders !== null) {
    const detail = `The account is ${accountStatus}`;
    if (isHoldExpired(transaction, 'inactive', settings, now)) return { job, result: 'failed', reason: detail };
    return { job, reason: 'inactive', detail, nextTryAt: nextTryAt('inactive', transaction.tries, now) };
  }
  const forbidden =
    standing === null ? undefined : forbiddenBy(standing, transaction.chainId, kind.parties(claim.order));
  if (forbidden !== undefined && kind.orders !== null) {
    return { job, reason: 'limit', ...forbidden, nextTryAt: nextTryAt('limit', transaction.tries, now) };
  }
  if (transaction.notBeforeBlock !== null && head.number < transaction.notBeforeBlock) {
    const detail = `The node is at block ${head.number}; the order depends on block ${transaction.notBeforeBlock}`;
    return { job, reason: 'not-now', detail, nextTryAt: nextTryAt('not-now', 0, now) };
  }
  try {
    return { job, call: kind.call(claim) };
  } catch (error) {
    return refuseOrHold(context, job, asOrderError(context, job, error), now);
  }
}

/** Maps an error thrown by a kind. An unexpected one holds only that order. */
function asOrderError({ services }: LaneContext, { claim }: Job, error: unknown): OrderRefused | NotNow {
  if (error instanceof OrderRefused || error instanceof NotNow) return error;
  services.log.error('order.not_prepared', { orderId: claim.orderId, error });
  return new NotNow('The service could not prepare the order');
}

async function withSigner(
  context: LaneContext,
  { job, call }: BuiltCall,
  now: number,
): Promise<Omit<PricedJob, 'gas'> | Refusal | Hold> {
  try {
    return { job, call, signer: await laneSigner(context, job.claim.account) };
  } catch (error) {
    return refuseOrHold(context, job, asOrderError(context, job, error), now);
  }
}

async function check(context: LaneContext, job: Job, reads: ChainReads): Promise<OrderRefused | NotNow | undefined> {
  try {
    await job.kind.check?.({ services: context.services, reads }, job.claim, job.attempts.length > 0);
    return undefined;
  } catch (error) {
    return asOrderError(context, job, error);
  }
}

function refuseOrHold(
  { services: { settings } }: LaneContext,
  job: Job,
  error: OrderRefused | NotNow,
  now: number,
): Refusal | Hold {
  const { transaction } = job;
  if (error instanceof OrderRefused) return { job, result: 'failed', reason: error.message };
  if (isHoldExpired(transaction, 'not-now', settings, now)) return { job, result: 'failed', reason: error.message };
  return {
    job,
    reason: 'not-now',
    detail: error.message,
    nextTryAt: nextTryAt('not-now', transaction.tries, now),
  };
}

/** The protocol's gas limit per transaction (EIP-7825). */
const MAX_TRANSACTION_GAS = 2n ** 24n;

function withinCeiling(
  { services: { settings } }: LaneContext,
  ready: Omit<PricedJob, 'gas'>,
  estimate: bigint,
  { gasLimit }: ChainHead,
): PricedJob | Refusal {
  const { job, call } = ready;
  const bounds = [job.kind.gasCeiling(job.claim.order, settings), gasLimit / 2n, MAX_TRANSACTION_GAS];
  const ceiling = bounds.reduce((lowest, bound) => (bound < lowest ? bound : lowest));
  const gas = call.gas ?? gasLimitFor(estimate, ceiling);
  const needed = call.gas !== undefined && call.gas > estimate ? call.gas : estimate;
  return needed > ceiling
    ? { job, result: 'failed', reason: `It needs ${needed} gas, above the ceiling of ${ceiling}` }
    : { ...ready, gas };
}

/**
 * Allocates the wallet's balance, within the account's limits, in order of acceptance. The first job that the balance does not cover
 * is held, with all jobs after it.
 */
function allocateFunds(
  { services: { settings }, lane, chain }: LaneContext,
  jobs: readonly Job[],
  results: readonly PreparedJob[],
  head: ChainHead,
  committed: bigint,
  now: number,
): Prepared {
  const { balance, baseFee } = head;
  const byId = new Map(results.map((entry) => [entry.job.transaction.id, entry]));
  const ready: ReadyJob[] = [];
  const refused: Refusal[] = [];
  const held: Hold[] = [];
  let laneHold: Hold | undefined;
  let spent = committed;
  const spentBy = new Map<string, bigint>();
  const hold = (job: Job, reason: 'funds' | 'fee-cap', detail: string) => {
    const entry = { job, reason, detail, nextTryAt: nextTryAt(reason, job.transaction.tries, now) };
    held.push(entry);
    laneHold ??= entry;
  };
  const offer = offerAt(head, chain.feeCap);
  for (const job of jobs) {
    const entry = byId.get(job.transaction.id);
    if (entry === undefined) continue;
    if ('result' in entry) refused.push(entry);
    else if ('nextTryAt' in entry) held.push(entry);
    else if (offer === undefined) {
      const cap = chain.feeCap.maxFeePerGas;
      hold(
        job,
        'fee-cap',
        `The base fee of chain ${lane.chainId} is ${baseFee} wei per gas, too high for the cap of ${cap}`,
      );
    } else {
      const { account } = job.claim;
      const spentOfAccount = spentBy.get(account.id) ?? 0n;
      const allowed = limitedOffer(job, entry.gas, { head, cap: chain.feeCap, offer }, spentOfAccount);
      if ('detail' in allowed) {
        held.push({ job, reason: 'limit', ...allowed, nextTryAt: nextTryAt('limit', job.transaction.tries, now) });
        continue;
      }
      const cost = entry.gas * allowed.maxFeePerGas;
      if (spent + cost <= balance) {
        spent += cost;
        spentBy.set(account.id, spentOfAccount + cost);
        ready.push({ ...entry, offer: allowed });
        continue;
      }
      const missing = spent + cost - balance;
      const detail = `The wallet ${account.walletAddress} lacks ${missing} wei on chain ${lane.chainId}: the order may cost ${cost}, ${spent} is committed to other orders, and the balance is ${balance}`;
      if (isHoldExpired(job.transaction, 'funds', settings, now))
        refused.push({ job, result: 'failed', reason: detail });
      else hold(job, 'funds', detail);
    }
  }
  return { ready, refused, held, laneHold };
}

/**
 * The gas price that the account's limits allow; a filler has no limits.
 * @param spent The most, in wei, that the account's earlier orders of the chunk may cost.
 * @returns why not, if the limits do not allow the order now.
 */
function limitedOffer(
  { standing, kind, transaction }: Job,
  gas: bigint,
  { head, cap, offer }: { readonly head: ChainHead; readonly cap: GasPrice; readonly offer: GasPrice },
  spent: bigint,
): GasPrice | Excess {
  if (standing === null || kind.orders === null) return offer;
  const { gasPrice } = spendLimitsOf(standing.limits, transaction.chainId);
  const maxFee = gasPrice === null || BigInt(gasPrice) > cap.maxFeePerGas ? cap.maxFeePerGas : BigInt(gasPrice);
  const own = offerAt(head, { ...cap, maxFeePerGas: maxFee });
  const { chainId } = transaction;
  if (own === undefined) return gasPriceExcess(chainId, head.baseFee, maxFee);
  return overspendOf(standing.limits, chainId, gas * own.maxFeePerGas, standing.spentToday + spent) ?? own;
}
