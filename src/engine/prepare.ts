import type { Signer } from '../accounts/signer.ts';
import { forbiddenBy, gasPriceExcess, overspendOf, spendLimitsOf, type Excess } from './account-limits.ts';
import { callOfBundle, draftBundles, tryBundles, type Bundle, type SignableJob } from './bundles.ts';
import { lackingBlock } from './evidence.ts';
import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { estimateCalls } from './estimate.ts';
import { gasLimitFor, MAX_TRANSACTION_GAS, offerAt, TRANSFER_GAS, type GasPrice } from './fees.ts';
import { isHeldFor, isHoldExpired, nextTryAt, pauseHold } from './holds.ts';
import type { Driver } from './driver.ts';
import { namesOf, wasSigned, type Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import { laneSigner } from './lane-signer.ts';
import { NotNow, OrderRefused, type Call, type ChainReads, type WaitingWords } from './order-kind.ts';
import type { Hold } from './store/waiting.ts';

/**
 * The reason of an order that its customer cancelled before anything of it could be mined, or that a second person
 * refused.
 */
export function cancelReason(job: Job): string {
  if (wasSigned(job)) return 'Cancelled';
  const { transaction, kind } = job;
  return transaction.approvalUntil === null ? 'Cancelled before it was sent' : (kind.waiting ?? APPROVAL).cancelled;
}

const APPROVAL: WaitingWords = {
  held: 'A second person must approve it',
  result: 'failed',
  overdue: 'Not approved by',
  cancelled: 'Not approved: cancelled or refused',
};

/** A transaction with everything that its signature needs except the nonce. */
export interface ReadyTransaction {
  /** What it carries out, in the order of its call. */
  readonly jobs: readonly Job[];
  readonly isBundle: boolean;
  readonly call: Call;
  readonly gas: bigint;
  readonly signer: Signer;
  readonly offer: GasPrice;
}

/** A job whose funds are not allocated yet. */
interface PricedJob extends SignableJob {
  /** Of the gas limit of a bundle, what the job adds to it. */
  readonly gas: bigint;
  readonly bundle?: Bundle;
}

/** A job that the wallet can pay for. */
interface PaidJob extends PricedJob {
  readonly offer: GasPrice;
}

/** Why a job without a nonce ends. */
export interface Refusal {
  readonly job: Job;
  readonly result: 'failed' | 'cancelled';
  readonly reason: string;
}

/** The result of preparing a chunk, before any nonce is assigned. */
export interface Prepared {
  readonly ready: readonly ReadyTransaction[];
  readonly refused: readonly Refusal[];
  readonly held: readonly Hold[];
  /** For which no nonce is free. */
  readonly unused: readonly Job[];
  /** Whether something is held, or ends, for what the head or a node's reply says that was not put to the vote. */
  readonly isDoubtful: boolean;
}

/** What a job came to so far; a mere call was not estimated, because the wallet could pay for none. */
type PreparedJob = PricedJob | Refusal | Hold | BuiltCall;

/**
 * How long an order waits for an answer, in milliseconds, before it goes alone: the call that it would share may be what
 * no node answers, and only its own call may make it FAILED.
 */
const APART_MS = 30 * 60_000;

/**
 * Does everything that can fail before a nonce is assigned: account, key, call, estimate, funds. Nothing is refused at
 * a head older than the newest block that the lane has observed: its node may be on a branch that the others have left.
 */
export async function prepare(driver: Driver, jobs: readonly Job[], head: ChainHead): Promise<Prepared> {
  const committed = driver.committed(head.count);
  const now = driver.services.clock.now();
  const reads = createChainReads(driver.chain, head);
  const lacking = await lackingBlock(driver, jobs, head);
  const admitted = jobs.map((job) => admit(driver, job, head, lacking.has(job), now));
  const isAffordable = canPay(driver, head, committed);
  const built = await Promise.all(
    admitted.map(async (entry): Promise<SignableJob | BuiltCall | Refusal | Hold> =>
      'call' in entry && isAffordable ? await withSigner(driver, entry, now) : entry,
    ),
  );
  const calls = built.flatMap((entry) => ('signer' in entry ? [entry] : []));
  const { maxFeePerGas = 1n } = offerAt(head, driver.chain) ?? {};
  const { slots } = driver;
  const isApart = (transaction: Job['transaction']) =>
    driver.memory.isApart(transaction.id) || isHeldFor(transaction, 'not-now', APART_MS, now);
  const drafted = firstOf(draftBundles(driver, calls, head, maxFeePerGas, isApart), calls, slots);
  const [known, tried] = await Promise.all([
    estimateAlone(driver, drafted.alone, head, reads),
    tryBundles(driver, drafted.bundles, reads),
  ]);
  const estimates = [...known, ...(await estimateAlone(driver, tried.alone, head, reads))];
  const depending = [...lacking, ...built.filter(restsOnHead).map(({ job }) => job)];
  const doubtful = new Set(depending.map(({ transaction }) => transaction.id));
  const results: PreparedJob[] = built.flatMap((entry) => ('signer' in entry ? [] : [entry]));
  for (const bundle of tried.bundles) {
    results.push(...bundle.entries.map((one) => ({ ...one, gas: bundle.bundling.gas(one.job.claim), bundle })));
  }
  for (const [{ job }, error] of tried.unknown) results.push(refuseOrHold(driver, job, error, now));
  for (const [{ job, call, signer }, estimate] of estimates) {
    const gas = typeof estimate === 'bigint' ? gasOf(driver, job, call, estimate, head) : estimate;
    if (typeof gas === 'bigint') results.push({ job, call, signer, gas });
    else results.push(refuseOrHold(driver, job, gas instanceof NotNow ? gas : refusalAt(driver, job, gas, head), now));
  }
  const { ready, ...allocated } = allocateFunds(driver, jobs, results, head, committed, now);
  const unused = [...drafted.unused, ...ready.slice(slots).flatMap((each) => each.jobs)];
  const isDoubtful = [...allocated.refused, ...allocated.held].some(({ job }) => doubtful.has(job.transaction.id));
  return { ...allocated, ready: ready.slice(0, slots), unused, isDoubtful };
}

/** The first of what would be transactions, as many as nonces are free, in the order of the jobs. */
function firstOf(
  { bundles, alone }: ReturnType<typeof draftBundles>,
  entries: readonly SignableJob[],
  slots: number,
): ReturnType<typeof draftBundles> & { readonly unused: readonly Job[] } {
  const places = new Map(entries.map((entry, place) => [entry, place]));
  const placeOf = ([first]: readonly SignableJob[]) => (first === undefined ? 0 : (places.get(first) ?? 0));
  const units = [...bundles.map((bundle) => bundle.entries), ...alone.map((entry) => [entry])];
  const used = new Set(
    units
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .slice(0, slots)
      .flat(),
  );
  return {
    bundles: bundles.filter((bundle) => bundle.entries.every((entry) => used.has(entry))),
    alone: alone.filter((entry) => used.has(entry)),
    unused: entries.filter((entry) => !used.has(entry)).map(({ job }) => job),
  };
}

/** The estimates of jobs that go alone, or why there are none. */
async function estimateAlone(
  driver: Driver,
  entries: readonly SignableJob[],
  head: ChainHead,
  reads: ChainReads,
): Promise<readonly (readonly [SignableJob, bigint | OrderRefused | NotNow])[]> {
  if (entries.length === 0) return [];
  const [estimates, checks] = await Promise.all([
    estimateCalls(driver, entries, head, reads),
    Promise.all(entries.map(({ job }) => check(driver, job, reads))),
  ]);
  return entries.map((entry, index) => {
    const estimate = checks[index] ?? estimates[index] ?? new NotNow('The chain does not answer');
    return [entry, estimate] as const;
  });
}

interface BuiltCall {
  readonly job: Job;
  readonly call: Call;
}

/** Whether what becomes of it rests on what the head has: its call does, and so does whether a third party has done it. */
function restsOnHead(entry: SignableJob | BuiltCall | Refusal | Hold): boolean {
  return 'call' in entry || ('result' in entry && entry.job.kind.findForeignEffect !== null);
}

/** Checks that need no I/O. */
function admit(
  context: Driver,
  job: Job,
  head: ChainHead,
  isLacking: boolean,
  now: number,
): BuiltCall | Refusal | Hold {
  const { settings } = context.services;
  const { transaction, kind, claim, accountStatus, paused, standing } = job;
  // Before all else: it may be executed already, and then neither fails nor can be cancelled.
  const { doubt } = context;
  if (doubt !== undefined) {
    return { job, reason: 'paused', detail: doubt.reason, nextTryAt: nextTryAt('paused', transaction.tries, now) };
  }
  if (transaction.cancelRequestedAt !== null) {
    return { job, result: 'cancelled', reason: cancelReason(job) };
  }
  const { approvalUntil } = transaction;
  if (approvalUntil !== null) {
    const { held, result, overdue } = kind.waiting ?? APPROVAL;
    if (now >= approvalUntil.getTime()) return { job, result, reason: `${overdue} ${approvalUntil.toISOString()}` };
    return { job, reason: 'not-now', detail: held, nextTryAt: approvalUntil };
  }
  if (paused !== null) {
    return { job, ...pauseHold(transaction, paused), nextTryAt: nextTryAt('paused', transaction.tries, now) };
  }
  if (accountStatus !== 'ACTIVE') {
    const detail = `The account is ${accountStatus}`;
    if (isHoldExpired(transaction, 'inactive', settings, now)) return { job, result: 'failed', reason: detail };
    return { job, reason: 'inactive', detail, nextTryAt: nextTryAt('inactive', transaction.tries, now) };
  }
  const forbidden =
    standing === null ? undefined : forbiddenBy(standing, transaction.chainId, kind.parties(claim.order));
  if (forbidden !== undefined) {
    return { job, reason: 'limit', ...forbidden, nextTryAt: nextTryAt('limit', transaction.tries, now) };
  }
  if (isLacking) {
    const detail = behind(head, transaction.notBeforeBlock ?? 0);
    return { job, reason: 'not-now', detail, nextTryAt: nextTryAt('not-now', transaction.tries, now) };
  }
  try {
    return { job, call: kind.call(claim) };
  } catch (error) {
    return refuseOrHold(context, job, asOrderError(context, job, error), now);
  }
}

/**
 * What a refusal at a head comes to. It may be of a branch that the others have left, or that lacks what the order
 * depends on, though it is as long: an order that needs what another has done is refused once that is found final.
 */
function refusalAt(
  driver: Driver,
  { transaction: { notBeforeBlock }, kind }: Job,
  refusal: OrderRefused,
  head: ChainHead,
): OrderRefused | NotNow {
  const { newestBlock } = driver;
  if (head.number < newestBlock) return new NotNow(behind(head, newestBlock));
  const isDecided = kind.dependency?.needsEffects !== true || driver.isFinalUpTo(notBeforeBlock ?? 0);
  return isDecided ? refusal : new NotNow(`${refusal.message} (block ${notBeforeBlock} is not final)`);
}

function behind(head: ChainHead, block: number): string {
  return `The node is at block ${head.number}; the order depends on block ${block}`;
}

/** Maps an error thrown by a kind. An unexpected one holds only that order. */
function asOrderError({ services }: LaneContext, job: Job, error: unknown): OrderRefused | NotNow {
  if (error instanceof OrderRefused || error instanceof NotNow) return error;
  services.log.error('order.not_prepared', { ...namesOf(job), error });
  return new NotNow('The service could not prepare the order');
}

async function withSigner(
  context: LaneContext,
  { job, call }: BuiltCall,
  now: number,
): Promise<SignableJob | Refusal | Hold> {
  try {
    return { job, call, signer: await laneSigner(context, job.claim.account) };
  } catch (error) {
    return refuseOrHold(context, job, asOrderError(context, job, error), now);
  }
}

async function check(context: LaneContext, job: Job, reads: ChainReads): Promise<OrderRefused | NotNow | undefined> {
  try {
    await job.kind.check?.({ services: context.services, reads }, job.claim, wasSigned(job));
    return undefined;
  } catch (error) {
    return asOrderError(context, job, error);
  }
}

/** Holds a job, or ends one that has been held for too long. @param error Why it is not signed. */
export function refuseOrHold(
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

/** The gas limit of a call, or why it has none. What a block cannot take now, a later one may. */
function gasOf(
  { services: { settings } }: LaneContext,
  job: Job,
  call: Call,
  estimate: bigint,
  { gasLimit }: ChainHead,
): bigint | OrderRefused | NotNow {
  const own = job.kind.gasCeiling(job.claim.order, settings);
  const ceiling = own < MAX_TRANSACTION_GAS ? own : MAX_TRANSACTION_GAS;
  const needed = call.gas !== undefined && call.gas > estimate ? call.gas : estimate;
  if (needed > ceiling) return new OrderRefused(`It needs ${needed} gas, above the ceiling of ${ceiling}`);
  const half = gasLimit / 2n;
  if (needed > half) return new NotNow(`It needs ${needed} gas, and half a block has ${half}`);
  return call.gas ?? gasLimitFor(estimate, half < ceiling ? half : ceiling);
}

/** Whether the wallet can pay for any transaction now; if not, nothing is estimated. */
function canPay({ chain }: LaneContext, head: ChainHead, committed: bigint): boolean {
  const offer = offerAt(head, chain);
  return offer !== undefined && committed + TRANSFER_GAS * offer.maxFeePerGas <= head.balance;
}

/**
 * Allocates the wallet's balance, within the account's limits, in order of acceptance. A job that the balance does not
 * cover is held; others that it covers are not.
 */
function allocateFunds(
  { services: { settings }, lane, chain }: LaneContext,
  jobs: readonly Job[],
  results: readonly PreparedJob[],
  head: ChainHead,
  committed: bigint,
  now: number,
): Omit<Prepared, 'isDoubtful' | 'unused'> {
  const { balance, baseFee } = head;
  const byId = new Map(results.map((entry) => [entry.job.transaction.id, entry]));
  const paid: PaidJob[] = [];
  const opened = new Set<Bundle>();
  const refused: Refusal[] = [];
  const held: Hold[] = [];
  let spent = committed;
  const spentBy = new Map<string, bigint>();
  const hold = (job: Job, reason: 'funds' | 'fee-cap', detail: string) => {
    if (reason === 'funds' && isHoldExpired(job.transaction, 'funds', settings, now))
      refused.push({ job, result: 'failed', reason: detail });
    else held.push({ job, reason, detail, nextTryAt: nextTryAt(reason, job.transaction.tries, now) });
  };
  const cap = chain.feeCap.maxFeePerGas;
  const offer = offerAt(head, chain);
  for (const job of jobs) {
    const entry = byId.get(job.transaction.id);
    if (entry === undefined) continue;
    if ('result' in entry) refused.push(entry);
    else if ('nextTryAt' in entry) held.push(entry);
    else if (offer === undefined) {
      hold(
        job,
        'fee-cap',
        `The base fee of chain ${lane.chainId} is ${baseFee} wei per gas, too high for the cap of ${cap}`,
      );
    } else if (!('gas' in entry)) {
      const least = TRANSFER_GAS * offer.maxFeePerGas;
      hold(
        job,
        'funds',
        `The wallet ${job.claim.account.walletAddress} lacks ${least - (balance - spent)} wei on chain ${lane.chainId}: no transaction costs less than ${least}, ${spent} is committed to other orders, and the balance is ${balance}`,
      );
    } else {
      const { account } = job.claim;
      const spentOfAccount = spentBy.get(account.id) ?? 0n;
      const { bundle } = entry;
      // The first of a bundle pays for the rest of its call.
      const gas = entry.gas + (bundle === undefined || opened.has(bundle) ? 0n : bundle.bundling.baseGas);
      const allowed = limitedOffer(job, gas, { head, chain, offer }, spentOfAccount);
      if ('detail' in allowed) {
        held.push({ job, reason: 'limit', ...allowed, nextTryAt: nextTryAt('limit', job.transaction.tries, now) });
        continue;
      }
      const cost = gas * allowed.maxFeePerGas;
      if (spent + cost <= balance) {
        if (bundle !== undefined) opened.add(bundle);
        spent += cost;
        spentBy.set(account.id, spentOfAccount + cost);
        paid.push({ ...entry, offer: allowed });
        continue;
      }
      const missing = spent + cost - balance;
      const detail = `The wallet ${account.walletAddress} lacks ${missing} wei on chain ${lane.chainId}: the order may cost ${cost}, ${spent} is committed to other orders, and the balance is ${balance}`;
      hold(job, 'funds', detail);
    }
  }
  return { ready: transactionsOf(paid), refused, held };
}

/** The transactions of jobs, each at the place of its first one, so that no order is overtaken by all of a bundle. */
function transactionsOf(paid: readonly PaidJob[]): readonly ReadyTransaction[] {
  const groups = Map.groupBy(paid, (entry) => entry.bundle ?? entry);
  return [...groups.values()].flatMap((entries): ReadyTransaction[] => {
    const [first] = entries;
    if (first === undefined) return [];
    const { job, call, gas, signer, offer, bundle } = first;
    if (bundle === undefined) return [{ jobs: [job], isBundle: false, call, gas, signer, offer }];
    const shared = callOfBundle({ ...bundle, entries });
    const jobs = entries.map((entry) => entry.job);
    return [{ jobs, isBundle: true, call: shared, gas: shared.gas, signer, offer }];
  });
}

/**
 * The gas price that the account's limits allow; a filler has no limits.
 * @param spent The most, in wei, that the account's earlier orders of the chunk may cost.
 * @returns why not, if the limits do not allow the order now.
 */
function limitedOffer(
  { standing, kind, transaction }: Job,
  gas: bigint,
  { head, chain, offer }: { readonly head: ChainHead; readonly chain: LaneContext['chain']; readonly offer: GasPrice },
  spent: bigint,
): GasPrice | Excess {
  if (standing === null || kind.resource === null) return offer;
  const { gasPrice } = spendLimitsOf(standing.limits, transaction.chainId);
  const cap = chain.feeCap.maxFeePerGas;
  const maxFee = gasPrice === null || BigInt(gasPrice) > cap ? cap : BigInt(gasPrice);
  const own = offerAt(head, chain, maxFee);
  const { chainId } = transaction;
  if (own === undefined) return gasPriceExcess(chainId, head.baseFee, maxFee);
  return overspendOf(standing.limits, chainId, gas * own.maxFeePerGas, standing.spentToday + spent) ?? own;
}
