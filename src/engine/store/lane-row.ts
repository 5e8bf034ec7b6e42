import { sql } from 'drizzle-orm';
import type { Rows, SystemDb } from '../../platform/database/client.ts';
import { lanes } from '../../platform/database/schema.ts';
import type { LaneState, StoredLook } from '../../platform/database/schema.ts';
import type { WalletLane } from '../wallet-lane.ts';

export type LaneRow = typeof lanes.$inferSelect;

/** What a driver has learned of its lane. */
export interface LaneNote {
  readonly floor: number;
  readonly looks: readonly StoredLook[];
  readonly bodiesReadTo: number | null;
  readonly inFlightWindow: number | null;
  readonly state: LaneState;
  readonly orderId: string | null;
  readonly reason: string | null;
}

/** The statement that notes that a lane is driven, and what its driver has learned; it returns the lane's row. */
export function noteLane(db: SystemDb, lane: WalletLane, note: LaneNote | null, now: Date): Rows<LaneRow> {
  const at = now.toISOString();
  return db.sql
    .insert(lanes)
    .values({
      ...lane,
      drivenAt: now,
      ...(note === null ? {} : { ...note, looks: [...note.looks], since: note.state === 'ok' ? null : now }),
    })
    .onConflictDoUpdate({
      target: [lanes.chainId, lanes.walletAddress],
      set: {
        drivenAt: now,
        ...(note === null
          ? {}
          : {
              // Two drivers may be at work: what only rises does so whoever writes last.
              floor: sql`greatest(${lanes.floor}, excluded.floor)`,
              bodiesReadTo: sql`greatest(${lanes.bodiesReadTo}, excluded.bodies_read_to)`,
              looks: [...note.looks],
              inFlightWindow: note.inFlightWindow,
              state: note.state,
              orderId: note.orderId,
              reason: note.reason,
              since: sql`case when ${note.state} = 'ok' then null when ${lanes.state} = ${note.state} then ${lanes.since} else ${at}::timestamptz end`,
            }),
      },
    })
    .returning();
}
