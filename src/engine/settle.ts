import { newId } from '../core/ids.ts';
import { isReplyLost } from '../platform/database/errors.ts';
import { feeOf } from '../platform/rates/fee.ts';
import type { Fee } from '../platform/rates/fee.ts';
import { afterMined } from './in-flight-window.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import type { AnyOrderKind, ForeignEffect, Outcome, Receipt } from './order-kind.ts';
import { endTransactions } from './store/end-transactions.ts';
import type { Ended, Ending } from './store/end-transactions.ts';
import { laneName } from './wallet-lane.ts';
import type { WalletLane } from './wallet-lane.ts';

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
  /** By a third party's transaction; `receipt` is that of our own, which did not have the effect. */
  | {
      readonly job: Job;
      readonly result: 'confirmed';
      readonly foreign: ForeignEffect<unknown>;
      readonly receipt: Receipt | undefined;
      readonly isFinal: boolean;
    }
  /** By a final receipt, or without one if nothing can be mined any more. */
  | {
      readonly job: Job;
      readonly result: 'failed' | 'cancelled';
      readonly reason: string;
      readonly receipt: Receipt | undefined;
    };

/** Stores ends with their events, notifies the delivery queue and dependent lanes, and updates the driver's state. */
export async function settle(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  ends: readonly End[],
): Promise<void> {
  for (let first = 0; first < ends.length; first += BATCH_SIZE) {
    await settleOnce(context, state, memory, ends.slice(first, first + BATCH_SIZE));
  }
}

async function settleOnce(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  ends: readonly End[],
): Promise<void> {
  const { services, lane, chain } = context;
  const rates = await services.rates.current(chain.nativeCoin.rateId);
  const at = new Date(services.clock.now());
  const feeOfReceipt = (receipt: Receipt) => feeOf(receipt.gasUsed, receipt.effectiveGasPrice, rates);
  // Texts from contracts and nodes may echo a secret that they were sent.
  const redacted = ends.map((end) => ('reason' in end ? { ...end, reason: services.redact(end.reason) } : end));
  const endings = redacted.map((end) => endingOf(end, at, feeOfReceipt));
  const mined = ends.filter(({ receipt }) => receipt !== undefined).length;
  if (mined > 0) state.window = afterMined(state.window, mined, chain.window.max);
  try {
    const { transactionIds, endpointIds, resultsOf, released } = await endTransactions(
      services.db,
      lane,
      newId(at.getTime()),
      endings,
      state.snapshot(memory.condition),
      at,
    );
    if (transactionIds.size < endings.length) state.isOutdated = true;
    for (const id of endpointIds) memory.endpointsToWake.add(id);
    const ended = endings.filter(({ job }) => transactionIds.has(job.transaction.id));
    for (const ending of ended) forget(state, memory, ending);
    state.runInBackground(runSettled(context, ended, resultsOf));
    const run = () => runWhenIdle(context, resultsOf);
    for (const overdue of memory.postponed.add({ ends: ended.length, run })) state.runInBackground(overdue.run());
    await announce(context, memory, ended, released);
  } catch (error) {
    services.log.error('lane.settle_failed', { ...lane, count: ends.length, error });
    const [only] = ends;
    if (isReplyLost(error)) state.isOutdated = true;
    // One order prevents the write: the others are stored individually, and it is retried later.
    else if (ends.length > 1) for (const end of ends) await settleOnce(context, state, memory, [end]);
    else if (only !== undefined) memory.settleRetryAt.set(only.job.transaction.id, at.getTime() + SETTLE_RETRY_MS);
  }
}

/** What notifications of ends need. */
type Sender = Pick<LaneContext, 'services' | 'lane'>;

/** Logs stored ends, queues their events for delivery and wakes the lanes that waited for them. */
export async function announce(
  sender: Sender,
  memory: Pick<LaneMemory, 'endpointsToWake'>,
  endings: readonly Ending[],
  released: readonly WalletLane[],
): Promise<void> {
  logEnds(sender, endings);
  await notify(sender, memory, released);
}

/** What an end stores. @param feeOfReceipt The cost of our own transaction. */
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

function forget(state: LaneState, memory: LaneMemory, { job, outcome, mined, isFinal }: Ending): void {
  const { id } = job.transaction;
  memory.sendings.delete(id);
  memory.seen.delete(id);
  memory.missing.delete(id);
  memory.notBefore.delete(id);
  memory.settleRetryAt.delete(id);
  if (isFinal) {
    state.remove(id);
    return;
  }
  const { transaction } = job;
  state.put({
    ...job,
    transaction: {
      ...transaction,
      state: outcome.result,
      version: transaction.version + 1,
      endings: transaction.endings + 1,
      txHash: mined?.txHash ?? null,
      blockNumber: mined?.blockNumber ?? null,
      blockHash: mined?.blockHash ?? null,
    },
  });
}

/**
 * One line a settlement, and one for each order that did not succeed. A line for every order would fill what the platform keeps of a
 * run's log, and the rest of it would be lost.
 */
function logEnds({ services: { log }, lane }: Sender, endings: readonly Ending[]): void {
  const counts: Record<string, number> = {};
  for (const { job, outcome, mined } of endings) {
    counts[outcome.result] = (counts[outcome.result] ?? 0) + 1;
    if (outcome.result === 'confirmed') continue;
    log.warn('order.ended', {
      kind: job.kind.name,
      orderId: job.claim.orderId,
      accountId: job.claim.account.id,
      chainId: lane.chainId,
      result: outcome.result,
      ...(mined === null ? {} : { txHash: mined.txHash }),
      reason: outcome.reason,
    });
  }
  log.info('lane.settled', { ...lane, ...counts });
}

/** Wakes the endpoints of new events and released lanes. What fails is retried by the next call. */
export async function notify(
  { services, lane }: Sender,
  { endpointsToWake }: Pick<LaneMemory, 'endpointsToWake'>,
  released: readonly WalletLane[] = [],
): Promise<void> {
  const others = new Set(released.map(laneName));
  const ids = [...endpointsToWake];
  // Cleared first: an endpoint that gets another event meanwhile is woken again.
  endpointsToWake.clear();
  try {
    await Promise.all([
      services.queues.wakeEndpoints(ids),
      ...Array.from(others, (name) => services.lanes.getByName(name).wake()),
    ]);
  } catch (error) {
    for (const id of ids) endpointsToWake.add(id);
    services.log.error('lane.not_told', { ...lane, endpoints: ids.length, lanes: others.size, error });
  }
}

/** Runs the kinds' best-effort work after their orders have ended. Never rejects. */
export async function runSettled(
  sender: Sender,
  endings: readonly Ending[],
  resultsOf: Ended['resultsOf'],
): Promise<void> {
  const byKind = Map.groupBy(endings, ({ job }) => job.kind);
  await Promise.all(
    Array.from(byKind, ([kind, own]) =>
      bestEffort(sender, kind, async () => {
        const outcomes = own.map(({ outcome }) => outcome);
        await kind.settled?.(sender.services, outcomes, resultsOf.get(kind) ?? []);
      }),
    ),
  );
}

/** Runs the kinds' best-effort work that can wait until a lane is idle. Never rejects. */
export async function runWhenIdle(sender: Sender, resultsOf: Ended['resultsOf']): Promise<void> {
  await Promise.all(
    Array.from(resultsOf, ([kind, results]) =>
      bestEffort(sender, kind, async () => await kind.whenIdle?.(sender.services, results)),
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
