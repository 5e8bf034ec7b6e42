import { STUCK_MS, type Driver } from './driver.ts';
import { formatEther } from 'viem';
import type { EpochMs } from '../core/epoch-ms.ts';
import { runBatch } from '../platform/database/client.ts';
import type { SignedJob } from './job.ts';
import type { Condition } from './lane-memory.ts';
import type { LaneNotice, LaneNoticeType } from './lane-notice.ts';
import { endLaneNotice, insertLaneNotice } from './store/lane-notices.ts';
import { saveLane, type LaneRow } from './store/lane-row.ts';

const EVENTS = { stuck: 'lane.stuck', 'fee-capped': 'lane.fee_capped', empty: 'wallet.empty' } as const;

/** Updates the lane's condition and logs each change. */
export function updateHealth(driver: Driver): void {
  const { services, lane, memory } = driver;
  const stuck = stuckBy(driver, services.clock.now());
  if (stuck === undefined) memory.recover('stuck');
  else if (['ok', 'stuck'].includes(memory.condition.state)) memory.report(stuck);
  const condition = memory.takeNewCondition();
  if (condition === undefined) return;
  const { state: now, orderId, reason } = condition;
  if (now === 'ok') services.log.info('lane.ok', { ...lane });
  else services.log.warn(EVENTS[now], { ...lane, ...(orderId === null ? {} : { orderId }), reason });
}

function stuckBy(
  { signed, inFlight, head, doubt, memory: { silence, progress, unread } }: Driver,
  now: EpochMs,
): Condition | undefined {
  if (doubt !== undefined && (doubt.needsOperator || unread.elapsed(now) >= STUCK_MS)) {
    return stuckAt(undefined, doubt.reason);
  }
  if (silence.elapsed(now) >= STUCK_MS) return stuckAt(undefined, 'The chain does not answer');
  if (head === undefined) return undefined;
  const next = inFlight.find(({ transaction }) => transaction.nonce >= head.count) ?? inFlight[0];
  if (next !== undefined && now - progress.lastAt >= STUCK_MS) {
    const { nonce } = next.transaction;
    const since = new Date(progress.lastAt).toISOString();
    const state = nonce < head.count ? 'used, but not settled' : 'not mined';
    return stuckAt(next, `Nonce ${nonce} is ${state}; nothing has been mined since ${since}`);
  }
  const { unsettled } = progress;
  const [lowest] = signed;
  if (lowest === undefined || unsettled?.nonce !== lowest.transaction.nonce) return undefined;
  if (now - unsettled.finalSince < STUCK_MS) return undefined;
  const since = new Date(unsettled.finalSince).toISOString();
  return stuckAt(lowest, `Nonce ${unsettled.nonce} is used, but not settled, although final since ${since}`);
}

function stuckAt(by: SignedJob | undefined, reason: string): Condition {
  return { state: 'stuck', orderId: by?.claim.orderId ?? null, reason };
}

/** What this run found out about a lane. */
interface Finding {
  readonly type: LaneNoticeType;
  readonly notifiedAt: Date | null;
  /** Null if there is nothing to report; undefined if this run does not know. */
  readonly notice: LaneNotice | null | undefined;
}

/**
 * Stores a lane's condition if its row says otherwise, and notifies its account when it becomes stuck or its wallet
 * low. Without a change it takes no round trip.
 * @param row As this run has read it.
 */
export async function saveLaneChanges(driver: Driver, row: LaneRow): Promise<void> {
  const { lane, memory, snapshot } = driver;
  const { services } = driver;
  const { db, hooks } = services;
  const now = new Date(services.clock.now());
  const { condition } = memory;
  memory.keep(snapshot);
  const findings: Finding[] = [
    { type: 'lane.stuck', notifiedAt: row.stuckNotifiedAt, notice: stuckNotice(driver) },
    { type: 'wallet.low', notifiedAt: row.lowNotifiedAt, notice: lowNotice(driver) },
  ];
  const begun = findings.flatMap(({ notifiedAt, notice }) => (notifiedAt === null && notice ? [notice] : []));
  const over = findings.flatMap(({ type, notifiedAt, notice }) =>
    notifiedAt !== null && notice === null ? [type] : [],
  );
  const isChanged = condition.state !== row.state || condition.orderId !== row.orderId;
  if (!isChanged && begun.length === 0 && over.length === 0) return;
  const { notices } = await runBatch(db, {
    lane: saveLane(db, lane, snapshot, now),
    ended: over.map((type) => endLaneNotice(db, lane, type)),
    notices: begun.map((notice) => insertLaneNotice(services, lane, notice, now)),
  });
  memory.wakeLater(notices.flatMap((reply) => hooks.receiversOf(reply)));
}

function stuckNotice({ memory: { condition } }: Driver): LaneNotice | null {
  if (condition.state !== 'stuck' && condition.state !== 'fee-capped') return null;
  const { orderId, reason } = condition;
  return { type: 'lane.stuck', orderId, reason: reason ?? '' };
}

/**
 * The balance is that of the last claim: what has been mined since is counted at the next one.
 * @returns undefined if it is not known.
 */
function lowNotice({ chain, head }: Driver): LaneNotice | null | undefined {
  if (head === undefined) return undefined;
  const { balance } = head;
  const threshold = chain.lowBalance;
  if (balance >= threshold) return null;
  return {
    type: 'wallet.low',
    orderId: null,
    balance: formatEther(balance),
    threshold: formatEther(threshold),
  };
}
