import type { Receipt } from '../chains/rpc-values.ts';
import { newId } from '../core/record-id.ts';
import { isReplyLost } from '../platform/database/errors.ts';
import { feeOf, type Fee } from '../platform/rates/fee.ts';
import type { Driver } from './driver.ts';
import { isOrder, namesOf, type Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory } from './lane-memory.ts';
import type { AnyOrderKind, ForeignEffect, Outcome } from './order-kind.ts';
import { isFencedOff } from './store/fence.ts';
import { endTransactions, type Ended, type Ending } from './store/end-transactions.ts';
import { laneName, type WalletLane } from './wallet-lane.ts';

/** The delay before an end that could not be written is tried again. */
const SETTLE_RETRY_MS = 60_000;
/** The number of ends written in one SQL transaction. */
const BATCH_SIZE = 200;

/** How a job ends, before it is stored. */
export type End =
  | {
      readonly job: Job;
      readonly result: 'confirmed';
      readonly effect: unknown;
      readonly receipt: Receipt;
      readonly isFinal: boolean;
    }
  /** Executed by a third party's transaction; `receipt` is that of our own, which did not have the effect. */
  | {
      readonly job: Job;
      readonly result: 'confirmed';
      readonly foreign: ForeignEffect<unknown>;
      readonly receipt: Receipt | undefined;
      readonly isFinal: boolean;
    }
  /** Ended by a final receipt, or without one if nothing can be mined any more. */
  | {
      readonly job: Job;
      readonly result: 'failed' | 'cancelled';
      readonly reason: string;
      readonly receipt: Receipt | undefined;
    };

/** Stores ends with their events, notifies the delivery queue and dependent lanes, and updates the driver's state. */
export async function settle(driver: Driver, ends: readonly End[]): Promise<void> {
  for (let first = 0; first < ends.length; first += BATCH_SIZE) {
    await settleOnce(driver, ends.slice(first, first + BATCH_SIZE));
  }
}

async function settleOnce(driver: Driver, ends: readonly End[]): Promise<void> {
  const { services, lane, chain } = driver;
  const rates = await services.rates.current(chain.nativeCoin.rateId);
  const at = new Date(services.clock.now());
  const endings = ends.map((end) =>
    endingOf(end, at, (receipt) => feeOf(gasOf(end.job, receipt), receipt.effectiveGasPrice, rates)),
  );
  try {
    const { transactionIds, receivers, resultsOf, released } = await endTransactions(
      services,
      lane,
      newId(at.getTime()),
      endings,
      driver.snapshot,
      at,
    );
    if (transactionIds.size < endings.length) driver.markOutdated();
    driver.memory.wakeLater(receivers);
    const ended = endings.filter(({ job }) => transactionIds.has(job.transaction.id));
    for (const ending of ended) forget(driver, ending);
    driver.runInBackground(runAfterwards(driver, ended, resultsOf));
    await announce(driver, ended, released);
  } catch (error) {
    if (isFencedOff(error)) throw error;
    services.log.error('lane.settle_failed', { ...lane, count: ends.length, error });
    const [only] = ends;
    if (isReplyLost(error)) driver.markOutdated();
    // One order prevents the write: the others are stored individually, and it is retried later.
    else if (ends.length > 1) for (const end of ends) await settleOnce(driver, [end]);
    else if (only !== undefined) driver.memory.retryLater(only.job.transaction.id, at.getTime() + SETTLE_RETRY_MS);
  }
}

/**
 * The gas of a receipt that a job pays for: of a bundle's call, each one's share. The shares of a call are whole numbers
 * and sum to all of its gas.
 */
export function gasOf({ transaction }: Job, { gasUsed }: Pick<Receipt, 'gasUsed'>): bigint {
  const { bundlePlace, bundleSize } = transaction;
  if (bundlePlace === null || bundleSize === null) return gasUsed;
  const upTo = (place: number) => (gasUsed * BigInt(place)) / BigInt(bundleSize);
  return upTo(bundlePlace + 1) - upTo(bundlePlace);
}

/** What notifications of ends need. */
type Sender = Pick<LaneContext, 'services' | 'lane'> & { readonly memory: LaneMemory };

/** Logs stored ends, queues their events for delivery and wakes the lanes that waited for them. */
export async function announce(
  sender: Sender,
  endings: readonly Ending[],
  released: readonly WalletLane[],
): Promise<void> {
  logEnds(sender, endings);
  await notify(sender, released);
}

/** The row changes of an end. @param feeOfReceipt The cost of our own transaction. */
export function endingOf(end: End, at: Date, feeOfReceipt: (receipt: Receipt) => Fee): Ending {
  const { job, receipt } = end;
  const { claim } = job;
  const fee = receipt && feeOfReceipt(receipt);
  const own = receipt && {
    txHash: receipt.transactionHash,
    blockNumber: receipt.blockNumber,
    blockHash: receipt.blockHash,
  };
  const isNonceUsed = receipt !== undefined;
  if (end.result === 'confirmed') {
    const { effect, inclusion: mined } =
      'foreign' in end ? end.foreign : { effect: end.effect, inclusion: inclusionOf(end.receipt) };
    const outcome: Outcome<unknown, unknown> = { claim, at, result: 'confirmed', effect, mined, fee };
    return { job, outcome, mined, isNonceUsed, isFinal: end.isFinal };
  }
  const outcome: Outcome<unknown, unknown> = {
    claim,
    at,
    result: end.result,
    reason: end.reason,
    mined:
      own === undefined || fee === undefined ? undefined : { txHash: own.txHash, blockNumber: own.blockNumber, fee },
  };
  return { job, outcome, mined: own ?? null, isNonceUsed, isFinal: true };
}

function inclusionOf({ transactionHash, blockNumber, blockHash }: Receipt) {
  return { txHash: transactionHash, blockNumber, blockHash };
}

function forget(driver: Driver, { job, mined, isFinal }: Ending): void {
  driver.remove(job.transaction.id);
  if (!isFinal && mined !== null) driver.noteConfirmed(mined.blockNumber);
}

/**
 * One line a settlement, and one for each order that did not succeed. A line for every order would fill what the
 * platform keeps of a run's log, and the rest of it would be lost.
 */
function logEnds({ services: { log }, lane }: Sender, endings: readonly Ending[]): void {
  const counts: Record<string, number> = {};
  for (const { job, outcome, mined } of endings) {
    counts[outcome.result] = (counts[outcome.result] ?? 0) + 1;
    if (outcome.result === 'confirmed' || !isOrder(job)) continue;
    log.warn('order.ended', {
      kind: job.kind.name,
      ...namesOf(job),
      chainId: lane.chainId,
      result: outcome.result,
      ...(mined === null ? {} : { txHash: mined.txHash }),
      reason: outcome.reason,
    });
  }
  log.info('lane.settled', { ...lane, ...counts });
}

/** Wakes the endpoints of new events and released lanes. What fails is retried by the next call. */
export async function notify({ services, lane, memory }: Sender, released: readonly WalletLane[] = []): Promise<void> {
  const others = new Set(released.map(laneName));
  // Taken first: an endpoint that gets another event meanwhile is woken again.
  const ids = memory.takeReceivers();
  try {
    await Promise.all([
      services.hooks.wake(ids),
      ...Array.from(others, (name) => services.lanes.getByName(name).wake()),
    ]);
  } catch (error) {
    memory.wakeLater(ids);
    services.log.error('lane.notify_failed', { ...lane, endpoints: ids.length, lanes: others.size, error });
  }
}

/** Runs the kinds' best-effort work after their orders have ended. Never rejects. */
export async function runAfterwards(
  sender: Sender,
  endings: readonly Ending[],
  resultsOf: Ended['resultsOf'],
): Promise<void> {
  const byKind = Map.groupBy(endings, ({ job }) => job.kind);
  await Promise.all(
    Array.from(byKind, ([kind, own]) =>
      bestEffort(sender, kind, async () => {
        const outcomes = own.map(({ outcome }) => outcome);
        await sender.services.hooks.afterwards(kind, outcomes, resultsOf.get(kind) ?? {});
      }),
    ),
  );
}

async function bestEffort({ services, lane }: Sender, kind: AnyOrderKind, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    services.log.error('lane.afterwards_failed', { ...lane, kind: kind.name, error });
  }
}
