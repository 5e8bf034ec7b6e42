import { and, eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { Rows, SystemDb } from '../../platform/database/client.ts';
import { lanes, type LaneCondition, type HeadObservation } from '../../platform/database/schema.ts';
import type { WalletLane } from '../wallet-lane.ts';

export type LaneRow = typeof lanes.$inferSelect;

/** A driver's knowledge of its lane, as stored in the lane's row. */
export interface LaneSnapshot {
  readonly floor: number;
  readonly observations: readonly HeadObservation[];
  /** The blocks of observations that were dropped as false, and that the chain has not reached since. */
  readonly falseBlocks: readonly number[];
  readonly inFlightWindow: number | null;
  readonly state: LaneCondition;
  readonly orderId: string | null;
  readonly reason: string | null;
}

/** What was observed of a lane, by any driver. */
export async function readObservations(
  db: SystemDb,
  { chainId, walletAddress }: WalletLane,
): Promise<readonly HeadObservation[]> {
  const [row] = await db.sql
    .select({ observations: lanes.observations })
    .from(lanes)
    .where(and(eq(lanes.chainId, chainId), eq(lanes.walletAddress, walletAddress)));
  return row?.observations ?? [];
}

/** The statement that records that a lane is driven, stores its snapshot and returns the lane's row. */
export function saveLane(db: SystemDb, lane: WalletLane, snapshot: LaneSnapshot | null, now: Date): Rows<LaneRow> {
  const at = now.toISOString();
  return db.sql
    .insert(lanes)
    .values({
      ...lane,
      drivenAt: now,
      ...(snapshot === null
        ? {}
        : { ...snapshot, observations: [...snapshot.observations], since: snapshot.state === 'ok' ? null : now }),
    })
    .onConflictDoUpdate({
      target: [lanes.chainId, lanes.walletAddress],
      set: {
        drivenAt: sql`greatest(${lanes.drivenAt}, excluded.driven_at)`,
        ...(snapshot === null
          ? {}
          : {
              // Two drivers may write: it never decreases, whoever writes last.
              floor: sql`greatest(${lanes.floor}, excluded.floor)`,
              // What rests on a block must not be decided below it: a claim may commit after an end that began later,
              // and a driver that was away for long remembers older blocks than another has observed since.
              observations: sql`case when excluded.driven_at < ${lanes.drivenAt}
                or ${newestOf(lanes.observations, snapshot.falseBlocks)} > ${newestOf(sql`excluded.observations`)}
                then ${lanes.observations} else excluded.observations end`,
              inFlightWindow: snapshot.inFlightWindow,
              state: snapshot.state,
              orderId: snapshot.orderId,
              reason: snapshot.reason,
              since: sql`case when ${snapshot.state} = 'ok' then null when ${lanes.state} = ${snapshot.state} then ${lanes.since} else ${at}::timestamptz end`,
            }),
      },
    })
    .returning();
}

/** The newest block of observations that is not false; 0 without any. */
function newestOf(observations: SQLWrapper, falseBlocks: readonly number[] = []): SQL {
  return sql`coalesce((select max((one ->> 0)::bigint) from jsonb_array_elements(${observations}) one
    where not ${JSON.stringify(falseBlocks)}::jsonb @> (one -> 0)), 0)`;
}
