import { formatEther } from 'viem';
import { runBatch } from '../platform/database/client.ts';
import { endpointsOf } from '../webhooks/events.store.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { endLaneNotice, insertLaneNotice } from './store/lane-notices.ts';
import type { LaneNotice, LaneNoticeType } from './store/lane-notices.ts';
import { saveLane } from './store/lane-row.ts';
import type { LaneRow } from './store/lane-row.ts';

/** What this run found out about a lane. */
interface Finding {
  readonly type: LaneNoticeType;
  readonly notifiedAt: Date | null;
  /** Null if there is nothing to report; undefined if this run does not know. */
  readonly notice: LaneNotice | null | undefined;
}

/**
 * Stores a lane's condition if its row says otherwise, and notifies its account when it becomes stuck or its wallet low. Without a change it
 * takes no round trip.
 * @param row As this run has read it.
 */
export async function saveLaneChanges(
  { services, lane, chain }: LaneContext,
  memory: LaneMemory,
  state: LaneState,
  row: LaneRow,
): Promise<void> {
  const { db, clock } = services;
  const now = new Date(clock.now());
  const { condition } = memory;
  const snapshot = state.snapshot(condition);
  memory.snapshot = snapshot;
  const findings: Finding[] = [
    { type: 'lane.stuck', notifiedAt: row.stuckNotifiedAt, notice: stuckNotice(lane, memory) },
    { type: 'wallet.low', notifiedAt: row.lowNotifiedAt, notice: lowNotice(lane, state, chain.lowBalance) },
  ];
  const begun = findings.flatMap(({ notifiedAt, notice }) => (notifiedAt === null && notice ? [notice] : []));
  const over = findings.flatMap(({ type, notifiedAt, notice }) =>
    notifiedAt !== null && notice === null ? [type] : [],
  );
  const isChanged = condition.state !== row.state || condition.orderId !== row.orderId;
  if (!isChanged && begun.length === 0 && over.length === 0) return;
  const results = await runBatch(db, [
    saveLane(db, lane, snapshot, now),
    ...over.map((type) => endLaneNotice(db, lane, type)),
    ...begun.map((notice) => insertLaneNotice(db, lane, notice, now)),
  ]);
  for (const id of results.slice(1 + over.length).flatMap(endpointsOf)) memory.endpointsToWake.add(id);
}

function stuckNotice(lane: LaneContext['lane'], { condition }: LaneMemory): LaneNotice | null {
  if (condition.state !== 'stuck') return null;
  const { orderId, reason } = condition;
  const { chainId, walletAddress } = lane;
  return { type: 'lane.stuck', orderId, data: { chainId, walletAddress, orderId, reason: reason ?? '' } };
}

/** @returns undefined if this run has not read the balance. */
function lowNotice(
  { chainId, walletAddress }: LaneContext['lane'],
  { head }: LaneState,
  threshold: bigint,
): LaneNotice | null | undefined {
  if (head === undefined) return undefined;
  if (head.balance >= threshold) return null;
  const data = { chainId, walletAddress, balance: formatEther(head.balance), threshold: formatEther(threshold) };
  return { type: 'wallet.low', orderId: null, data };
}
