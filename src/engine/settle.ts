import { newId } from '../core/ids.ts';
import { isAnswerLost } from '../platform/database/errors.ts';
import { feeOf } from '../platform/rates/fee.ts';
import type { Fee } from '../platform/rates/fee.ts';
import { afterMined } from './in-flight-window.ts';
import type { Job } from './job.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import type { ForeignEffect, Outcome, Receipt } from './order-kind.ts';
import { endTransactions } from './store/end-transactions.ts';
import type { Ending } from './store/end-transactions.ts';
import { laneName } from './wallet-lane.ts';
import type { WalletLane } from './wallet-lane.ts';

/** For how long an order is left alone whose end cannot be written. */
const LEFT_ALONE_MS = 60_000;
/** So many ends are written in one SQL transaction. */
const AT_ONCE = 200;

/** How a job ends, before it is written down. */
export type End =
  | {
      readonly job: Job;
      readonly result: 'confirmed';
      readonly effect: unknown;
      readonly receipt: Receipt;
      readonly isFinal: boolean;
    }
  /** By a stranger's transaction; `receipt` is our own, which did not have the effect. */
  | {
      readonly job: Job;
      readonly result: 'confirmed';
      readonly foreign: ForeignEffect<unknown>;
      readonly receipt: Receipt | undefined;
      readonly isFinal: boolean;
    }
  /** By a final receipt, or without any where nothing can be mined any more. */
  | {
      readonly job: Job;
      readonly result: 'failed' | 'cancelled';
      readonly reason: string;
      readonly receipt: Receipt | undefined;
    };

/** Writes ends down, tells who must know, and takes note of what it came to. */
export async function settle(
  context: LaneContext,
  state: LaneState,
  memory: LaneMemory,
  ends: readonly End[],
): Promise<void> {
  for (let first = 0; first < ends.length; first += AT_ONCE) {
    await settleOnce(context, state, memory, ends.slice(first, first + AT_ONCE));
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
  // What a contract or a node says may have a secret in it that they were told.
  const redacted = ends.map((end) => ('reason' in end ? { ...end, reason: services.redact(end.reason) } : end));
  const endings = redacted.map((end) => endingOf(end, at, feeOfReceipt));
  const mined = ends.filter(({ receipt }) => receipt !== undefined).length;
  if (mined > 0) state.window = afterMined(state.window, mined, chain.window.max);
  try {
    const { transactionIds, deliveryIds, released } = await endTransactions(
      services.db,
      lane,
      newId(at.getTime()),
      endings,
      state.note(memory.condition),
      at,
    );
    if (transactionIds.size < endings.length) state.isOutdated = true;
    for (const id of deliveryIds) memory.unsentDeliveries.add(id);
    const ended = endings.filter(({ job }) => transactionIds.has(job.transaction.id));
    for (const ending of ended) forget(state, memory, ending);
    logEnds(context, ended);
    await tell(context, memory, released);
    await afterwards(context, ended);
  } catch (error) {
    services.log.error('lane.settle_failed', { ...lane, count: ends.length, error });
    const [only] = ends;
    if (isAnswerLost(error)) state.isOutdated = true;
    // What cannot be written is one order's fault: the others end without it, and it is left alone for a while.
    else if (ends.length > 1) for (const end of ends) await settleOnce(context, state, memory, [end]);
    else if (only !== undefined) memory.unwritable.set(only.job.transaction.id, at.getTime() + LEFT_ALONE_MS);
  }
}

function endingOf(end: End, at: Date, feeOfReceipt: (receipt: Receipt) => Fee): Ending {
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
    const { effect, place: mined } =
      'foreign' in end ? end.foreign : { effect: end.effect, place: placeOf(end.receipt) };
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

function placeOf({ transactionHash, blockNumber, blockHash }: Receipt) {
  return { txHash: transactionHash, blockNumber, blockHash };
}

function forget(state: LaneState, memory: LaneMemory, { job, outcome, mined, isFinal }: Ending): void {
  const { id } = job.transaction;
  memory.sendings.delete(id);
  memory.seen.delete(id);
  memory.missing.delete(id);
  memory.notBefore.delete(id);
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

function logEnds({ services: { log }, lane }: LaneContext, endings: readonly Ending[]): void {
  for (const { job, outcome, mined } of endings) {
    log.info('order.ended', {
      kind: job.kind.name,
      orderId: job.claim.orderId,
      accountId: job.claim.account.id,
      chainId: lane.chainId,
      result: outcome.result,
      ...(mined === null ? {} : { txHash: mined.txHash }),
      ...(outcome.result === 'confirmed' ? {} : { reason: outcome.reason }),
    });
  }
}

/** Sends what waits to be told; what cannot be sent is tried again by the next call. */
export async function tell(
  { services, lane }: LaneContext,
  { unsentDeliveries }: LaneMemory,
  released: readonly WalletLane[] = [],
): Promise<void> {
  const others = new Set(released.map(laneName));
  const ids = [...unsentDeliveries];
  try {
    await Promise.all([
      services.queues.deliver(ids),
      ...Array.from(others, (name) => services.lanes.getByName(name).wake()),
    ]);
    for (const id of ids) unsentDeliveries.delete(id);
  } catch (error) {
    services.log.error('lane.not_told', { ...lane, deliveries: ids.length, lanes: others.size, error });
  }
}

/** What follows and may be lost. */
async function afterwards({ services, lane }: LaneContext, endings: readonly Ending[]): Promise<void> {
  const byKind = Map.groupBy(endings, ({ job }) => job.kind);
  await Promise.all(
    Array.from(byKind, async ([kind, own]) => {
      try {
        await kind.settled?.(
          services,
          own.map(({ outcome }) => outcome),
        );
      } catch (error) {
        services.log.error('lane.afterwards_failed', { ...lane, kind: kind.name, error });
      }
    }),
  );
}
