import { formatEther } from 'viem';
import { runBatch } from '../platform/database/client.ts';
import type { Statement } from '../platform/database/client.ts';
import { insertedDeliveries } from '../webhooks/events.store.ts';
import type { LaneContext } from './lane-context.ts';
import type { LaneMemory, LaneState } from './lane-state.ts';
import { endLaneNotice, tellOfLane } from './store/lane-notices.ts';
import type { LaneNotice, LaneNoticeType } from './store/lane-notices.ts';
import { noteLane } from './store/lane-row.ts';
import type { LaneRow } from './store/lane-row.ts';

/** What is so of a lane now; undefined where this run does not know. */
interface Finding {
  readonly type: LaneNoticeType;
  readonly toldAt: Date | null;
  readonly notice: LaneNotice | null | undefined;
}

/**
 * Writes down how a lane is doing, where that differs from its row, and tells its account when it has become stuck or its wallet low. What is as
 * it was costs no round trip.
 * @param row As this run has read it.
 */
export async function tellOfLaneChanges(
  { services, lane }: LaneContext,
  memory: LaneMemory,
  state: LaneState,
  row: LaneRow,
): Promise<void> {
  const { db, clock, settings } = services;
  const now = new Date(clock.now());
  const { condition } = memory;
  const learned = state.note(condition);
  memory.learned = learned;
  const findings: Finding[] = [
    { type: 'lane.stuck', toldAt: row.stuckToldAt, notice: stuckNotice(lane, memory) },
    { type: 'wallet.low', toldAt: row.lowToldAt, notice: lowNotice(lane, state, settings.LOW_BALANCE) },
  ];
  const begun = findings.flatMap(({ toldAt, notice }) => (toldAt === null && notice ? [notice] : []));
  const over = findings.flatMap(({ type, toldAt, notice }) => (toldAt !== null && notice === null ? [type] : []));
  const isChanged = condition.state !== row.state || condition.orderId !== row.orderId;
  if (!isChanged && begun.length === 0 && over.length === 0) return;
  const told: Statement[] = begun.map((notice) => tellOfLane(db, lane, notice, now));
  const results = await runBatch(db, [
    noteLane(db, lane, learned, now),
    ...over.map((type) => endLaneNotice(db, lane, type)),
    ...told,
  ]);
  const deliveryIds = told.length === 0 ? [] : results.slice(-told.length).flatMap(insertedDeliveries);
  for (const id of deliveryIds) memory.unsentDeliveries.add(id);
}

function stuckNotice(lane: LaneContext['lane'], { condition }: LaneMemory): LaneNotice | null {
  if (condition.state !== 'stuck') return null;
  const { orderId, reason } = condition;
  const { chainId, walletAddress } = lane;
  return { type: 'lane.stuck', orderId, data: { chainId, walletAddress, orderId, reason: reason ?? '' } };
}

/** @returns undefined where this run has not seen the balance. */
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
