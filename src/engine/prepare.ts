import type { Wei } from '../chains/wei.ts';
import type { Signer } from './signer.ts';
import { callOfBundle, draftBundles, tryBundles, type Bundle, type SignableJob } from './bundles.ts';
import { Decisions, type Refusal } from './decisions.ts';
import { lackingBlock } from './evidence.ts';
import type { ChainHead } from './chain-head.ts';
import { createChainReads } from './chain-reads.ts';
import { estimateCalls } from './estimate.ts';
import { gasLimitFor, MAX_TRANSACTION_GAS, offerAt, TRANSFER_GAS, type GasPrice } from './fees.ts';
import { isHeldFor } from './holds.ts';
import type { Driver } from './driver.ts';
import { isOrder, namesOf, wasSigned, type Job } from './job.ts';
import { kindContextOf, type LaneContext } from './lane-context.ts';
import { laneSigner } from './lane-signer.ts';
import { NotNow, OrderRefused, type Call, type ChainReads, type WaitingWords } from './order-kind.ts';
import type { Excess } from './standing.ts';
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
  /** The jobs that the transaction carries out, in the order of its call. */
  readonly jobs: readonly Job[];
  readonly isBundle: boolean;
  readonly call: Call;
  readonly gas: bigint;
  readonly signer: Signer;
  readonly offer: GasPrice;
}

/** A job whose funds are not allocated yet. */
interface PricedJob extends SignableJob {
  /** The job's share of the gas limit; of a bundle, what the job adds. */
  readonly gas: bigint;
  readonly bundle?: Bundle;
}

/** A job that the wallet can pay for. */
interface PaidJob extends PricedJob {
  readonly offer: GasPrice;
}

/** A job with the call that executes it by itself. */
interface BuiltCall {
  readonly job: Job;
  readonly call: Call;
}

/** The result of preparing a chunk, before any nonce is assigned. */
export interface Prepared {
  readonly ready: readonly ReadyTransaction[];
  readonly refused: readonly Refusal[];
  readonly held: readonly Hold[];
  /** Jobs for which no nonce is free. */
  readonly unused: readonly Job[];
  /** Whether something is held, or ends, for what the head or a node's reply says that was not put to the vote. */
  readonly isDoubtful: boolean;
}

/**
 * How long an order waits for an answer, in milliseconds, before it goes alone: the call that it would share may be
 * what no node answers, and only its own call may make it FAILED.
 */
const APART_MS = 30 * 60_000;

/**
 * Does everything that can fail before a nonce is assigned: account, key, call, estimate, funds. Nothing is refused at
 * a head older than the newest block that the lane has observed: its node may be on a branch that the others have left.
 */
export async function prepare(driver: Driver, jobs: readonly Job[], head: ChainHead): Promise<Prepared> {
  const committed = driver.committed(head.count);
  const decisions = new Decisions(driver);
  const lacking = await lackingBlock(driver, jobs, head);
  const admitted = jobs.flatMap((job) => admit(driver, job, head, lacking.has(job), decisions) ?? []);
  const offer = payableOffer(driver, admitted, head, committed, decisions);
  const signable = offer === undefined ? [] : await withSigners(driver, admitted, decisions);
  // The outcome of these depends on the head: their calls do, and so does whether a third party has executed them.
  const sought = decisions.refused.filter(({ job }) => job.kind.findForeignEffect !== null);
  const onHead = [...lacking, ...[...(offer === undefined ? admitted : signable), ...sought].map(({ job }) => job)];
  const { ready, unused } =
    offer === undefined
      ? { ready: [], unused: [] }
      : await payFor(driver, jobs, signable, { head, offer, committed }, decisions);
  const doubtful = new Set(onHead.map(({ transaction }) => transaction.id));
  const { refused, held } = decisions;
  const isDoubtful = [...refused, ...held].some(({ job }) => doubtful.has(job.transaction.id));
  return { ready, refused, held, unused, isDoubtful };
}

/** What transactions are paid from, at a head. */
interface Funds {
  readonly head: ChainHead;
  readonly offer: GasPrice;
  /** The most that transactions in flight may still cost. */
  readonly committed: Wei;
}

/** The transactions that the wallet can pay for, as many as nonces are free. */
async function payFor(
  driver: Driver,
  jobs: readonly Job[],
  calls: readonly SignableJob[],
  funds: Funds,
  decisions: Decisions,
): Promise<Pick<Prepared, 'ready' | 'unused'>> {
  const { slots } = driver;
  const { unused, priced } = await priceCalls(driver, calls, funds, slots, decisions);
  const ready = allocateFunds(driver, jobs, priced, funds, decisions);
  return {
    ready: ready.slice(0, slots),
    unused: [...unused, ...ready.slice(slots).flatMap((each) => each.jobs)],
  };
}

/** The gas of jobs: alone, or what each adds to a bundle that carries it. */
async function priceCalls(
  driver: Driver,
  calls: readonly SignableJob[],
  { head, offer }: Funds,
  slots: number,
  decisions: Decisions,
): Promise<{ readonly unused: readonly Job[]; readonly priced: readonly PricedJob[] }> {
  const reads = createChainReads(driver.chain, head);
  const isApart = (transaction: Job['transaction']) =>
    driver.memory.isApart(transaction.id) || isHeldFor(transaction, 'not-now', APART_MS, decisions.now);
  const drafted = firstOf(draftBundles(driver, calls, head, offer.maxFeePerGas, isApart), calls, slots);
  const [known, tried] = await Promise.all([
    estimateAlone(driver, drafted.alone, head, reads),
    tryBundles(driver, drafted.bundles, reads),
  ]);
  const estimates = [...known, ...(await estimateAlone(driver, tried.alone, head, reads))];
  for (const [{ job }, error] of tried.unknown) decisions.notNow(job, error);
  const priced = tried.bundles.flatMap((bundle): PricedJob[] =>
    bundle.entries.map((one) => ({ ...one, gas: bundle.bundling.gas(one.job.claim), bundle })),
  );
  for (const [one, estimate] of estimates) {
    const { job, call } = one;
    const gas = typeof estimate === 'bigint' ? gasOf(driver, job, call, estimate, head) : estimate;
    if (typeof gas === 'bigint') priced.push({ ...one, gas });
    else decisions.notNow(job, gas instanceof NotNow ? gas : refusalAt(driver, job, gas, head));
  }
  return { unused: drafted.unused, priced };
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

/**
 * Checks that need no I/O.
 * @returns the call that executes it; undefined if it is decided that it is not signed now.
 */
function admit(
  driver: Driver,
  job: Job,
  head: ChainHead,
  isLacking: boolean,
  decisions: Decisions,
): BuiltCall | undefined {
  const { doubt } = driver;
  const { transaction, kind, claim, accountStatus, paused, standing } = job;
  // Before all else: it may be executed already, and then neither fails nor can be cancelled.
  if (doubt !== undefined) return decisions.hold(job, 'paused', doubt.reason);
  if (transaction.cancelRequestedAt !== null) return decisions.refuse(job, 'cancelled', cancelReason(job));
  const { approvalUntil } = transaction;
  if (approvalUntil !== null) {
    const { held, result, overdue } = kind.waiting ?? APPROVAL;
    if (decisions.now < approvalUntil.getTime()) return decisions.holdUntil(job, approvalUntil, held);
    return decisions.refuse(job, result, `${overdue} ${approvalUntil.toISOString()}`);
  }
  if (paused !== null) return decisions.holdPaused(job, paused);
  if (accountStatus !== 'ACTIVE') return decisions.holdOrRefuse(job, 'inactive', `The account is ${accountStatus}`);
  const forbidden = standing?.forbids(kind.parties(claim.order));
  if (forbidden !== undefined) return decisions.hold(job, 'limit', forbidden.detail, forbidden.reached);
  if (isLacking) return decisions.hold(job, 'not-now', behind(head, transaction.notBeforeBlock ?? 0));
  try {
    return { job, call: kind.call(claim) };
  } catch (error) {
    return decisions.notNow(job, asOrderError(driver, job, error));
  }
}

/**
 * Decides whether a refusal at a head counts. The head may be of a branch that the other nodes have left, or that lacks
 * what the order depends on: an order that needs the effect of another is refused only once that effect is final.
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

async function withSigners(
  context: LaneContext,
  calls: readonly BuiltCall[],
  decisions: Decisions,
): Promise<readonly SignableJob[]> {
  const signers = await Promise.all(
    calls.map(async ({ job }) => {
      try {
        return await laneSigner(context, job.claim.account);
      } catch (error) {
        decisions.notNow(job, asOrderError(context, job, error));
        return undefined;
      }
    }),
  );
  return calls.flatMap((one, index) => {
    const signer = signers[index];
    return signer === undefined ? [] : [{ ...one, signer }];
  });
}

async function check(context: LaneContext, job: Job, reads: ChainReads): Promise<OrderRefused | NotNow | undefined> {
  try {
    await job.kind.check?.(kindContextOf(context, reads), job.claim, wasSigned(job));
    return undefined;
  } catch (error) {
    return asOrderError(context, job, error);
  }
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

/** What a transaction offers now; undefined if the wallet can pay for none, which holds all of the jobs. */
function payableOffer(
  { chain, lane }: LaneContext,
  calls: readonly BuiltCall[],
  head: ChainHead,
  committed: Wei,
  decisions: Decisions,
): GasPrice | undefined {
  const offer = offerAt(head, chain);
  if (offer === undefined) {
    const cap = chain.feeCap.maxFeePerGas;
    const detail = `The base fee of chain ${lane.chainId} is ${head.baseFee} wei per gas, too high for the cap of ${cap}`;
    for (const { job } of calls) decisions.hold(job, 'fee-cap', detail);
    return undefined;
  }
  const least = TRANSFER_GAS * offer.maxFeePerGas;
  if (committed + least <= head.balance) return offer;
  for (const { job } of calls) {
    const detail = `The wallet ${job.claim.account.walletAddress} lacks ${least - (head.balance - committed)} wei on chain ${lane.chainId}: no transaction costs less than ${least}, ${committed} is committed to other orders, and the balance is ${head.balance}`;
    decisions.holdOrRefuse(job, 'funds', detail);
  }
  return undefined;
}

/**
 * Allocates the wallet's balance, within the account's limits, in order of acceptance. A job that the balance does not
 * cover is held; others that it covers are not.
 */
function allocateFunds(
  { lane, chain }: LaneContext,
  jobs: readonly Job[],
  priced: readonly PricedJob[],
  { head, offer, committed }: Funds,
  decisions: Decisions,
): readonly ReadyTransaction[] {
  const { balance } = head;
  const byId = new Map(priced.map((entry) => [entry.job.transaction.id, entry]));
  const paid: PaidJob[] = [];
  const opened = new Set<Bundle>();
  let spent = committed;
  const spentBy = new Map<string, Wei>();
  for (const job of jobs) {
    const entry = byId.get(job.transaction.id);
    if (entry === undefined) continue;
    const { account } = job.claim;
    const spentOfAccount = spentBy.get(account.id) ?? 0n;
    const { bundle } = entry;
    // The first of a bundle pays for the rest of its call.
    const gas = entry.gas + (bundle === undefined || opened.has(bundle) ? 0n : bundle.bundling.baseGas);
    const allowed = limitedOffer(job, gas, { head, chain, offer }, spentOfAccount);
    if ('detail' in allowed) {
      decisions.hold(job, 'limit', allowed.detail, allowed.reached);
      continue;
    }
    const cost = gas * allowed.maxFeePerGas;
    if (spent + cost > balance) {
      const missing = spent + cost - balance;
      const detail = `The wallet ${account.walletAddress} lacks ${missing} wei on chain ${lane.chainId}: the order may cost ${cost}, ${spent} is committed to other orders, and the balance is ${balance}`;
      decisions.holdOrRefuse(job, 'funds', detail);
      continue;
    }
    if (bundle !== undefined) opened.add(bundle);
    spent += cost;
    spentBy.set(account.id, spentOfAccount + cost);
    paid.push({ ...entry, offer: allowed });
  }
  return transactionsOf(paid);
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
 * @param spent The most that the account's earlier orders of the chunk may cost.
 * @returns why not, if the limits do not allow the order now.
 */
function limitedOffer(
  job: Job,
  gas: bigint,
  { head, chain, offer }: { readonly head: ChainHead; readonly chain: LaneContext['chain']; readonly offer: GasPrice },
  spent: Wei,
): GasPrice | Excess {
  const { standing } = job;
  if (standing === null || !isOrder(job)) return offer;
  const { gasPrice } = standing;
  const cap = chain.feeCap.maxFeePerGas;
  const maxFee = gasPrice === null || gasPrice > cap ? cap : gasPrice;
  const own = offerAt(head, chain, maxFee);
  if (own === undefined) return standing.tooExpensive(head.baseFee, maxFee);
  return standing.overspend(gas * own.maxFeePerGas, spent) ?? own;
}
