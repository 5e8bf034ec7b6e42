import { and, eq, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { SystemDb } from '../../platform/database/client.ts';
import {
  lanes,
  orders,
  unfinishedStates,
  type HeadObservation,
  type LaneCondition,
} from '../../platform/database/schema.ts';
import type { WalletLane } from '../wallet-lane.ts';

export type LaneRow = typeof lanes.$inferSelect;

/** A driver's knowledge of its lane, as stored in the lane's row. */
export interface LaneSnapshot {
  readonly floor: number;
  readonly observations: readonly HeadObservation[];
  /** The blocks of observations that were dropped as false, and that the chain has not reached since. */
  readonly falseBlocks: readonly number[];
  readonly state: LaneCondition;
  readonly orderId: string | null;
  readonly reason: string | null;
  /** When first attempts were last stored, as far as its driver knows; null if it knows of none. */
  readonly signedAt: Date | null;
}

/** The observations of a lane by any driver. */
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

/** How far the clocks of two machines may differ: an order's acceptance time may be too late by this. */
export const CLOCK_MARGIN_MS = 60_000;

/**
 * Whether a database was set back, so that the lane would sign the same orders again: it lacks the attempts stored
 * last, and has unfinished orders that were accepted before.
 * @param signedAt When those attempts were stored; null if unknown.
 */
export function isSetBack({ chainId, walletAddress }: WalletLane, signedAt: Date | null): SQL {
  if (signedAt === null) return sql`false`;
  const at = sql`${signedAt.toISOString()}::timestamptz`;
  return sql`(
    not exists (select 1 from ${lanes} where chain_id = ${chainId} and wallet_address = ${walletAddress} and signed_at >= ${at})
    and exists (
      select 1 from ${orders} where chain_id = ${chainId} and wallet_address = ${walletAddress} and state in ${unfinishedStates}
        and created_at <= ${at} + interval '1 millisecond' * ${CLOCK_MARGIN_MS}::int))`;
}

/**
 * Whether a database may have been set back as {@link isSetBack} says, as far as the lane's object knows.
 * @param signedAt Null: the object has signed nothing, so that a database that says otherwise tells nothing.
 */
export async function mayBeSetBack(db: SystemDb, lane: WalletLane, signedAt: Date | null): Promise<boolean> {
  const { chainId, walletAddress } = lane;
  const isUnknown = sql`exists (
    select 1 from ${lanes} where chain_id = ${chainId} and wallet_address = ${walletAddress} and signed_at is not null)`;
  const { rows } = await db.sql.execute(
    sql`select ${signedAt === null ? isUnknown : isSetBack(lane, signedAt)} as "isSetBack"`,
  );
  return rows[0]?.['isSetBack'] === true;
}

/**
 * The statement that records that a lane is driven and stores its snapshot.
 * @param isSigning Whether first attempts are stored with it.
 */
export function saveLane(db: SystemDb, lane: WalletLane, snapshot: LaneSnapshot | null, now: Date, isSigning = false) {
  const at = sql`${now.toISOString()}::timestamptz`;
  return db.sql
    .insert(lanes)
    .values({
      ...lane,
      drivenAt: now,
      // A database that has lost the row has lost what its driver remembers.
      ...(snapshot === null || snapshot.signedAt !== null
        ? {}
        : { ...snapshot, observations: [...snapshot.observations], since: snapshot.state === 'ok' ? null : now }),
      ...(isSigning && { signedAt: now }),
    })
    .onConflictDoUpdate({
      target: [lanes.chainId, lanes.walletAddress],
      set: {
        drivenAt: sql`greatest(${lanes.drivenAt}, excluded.driven_at)`,
        // Of two runs within a millisecond, the second is later too.
        ...(isSigning && { signedAt: sql`greatest(${lanes.signedAt} + interval '1 millisecond', ${at})` }),
        ...(snapshot === null
          ? {}
          : {
              // Two drivers may write: it never decreases, whoever writes last.
              floor: sql`case when ${lacks(snapshot)} then ${lanes.floor} else greatest(${lanes.floor}, ${snapshot.floor}::bigint) end`,
              // What rests on a block must not be decided below it: a claim may commit after an end that began later,
              // and a driver that was away for long remembers older blocks than another has observed since.
              observations: sql`case when ${lacks(snapshot)} or excluded.driven_at < ${lanes.drivenAt}
                or ${newestOf(lanes.observations, snapshot.falseBlocks)} > ${newestOf(observed(snapshot))}
                then ${lanes.observations} else ${observed(snapshot)} end`,
              state: snapshot.state,
              orderId: snapshot.orderId,
              reason: snapshot.reason,
              since: sql`case when ${snapshot.state} = 'ok' then null when ${lanes.state} = ${snapshot.state} then ${lanes.since} else ${at} end`,
            }),
      },
    });
}

function observed({ observations }: LaneSnapshot): SQL {
  return sql`${JSON.stringify(observations)}::jsonb`;
}

/** Whether the row lacks what a driver remembers, because the database was set back: it tells what was known then. */
function lacks({ signedAt }: LaneSnapshot): SQL {
  return signedAt === null
    ? sql`false`
    : sql`coalesce(${lanes.signedAt} < ${signedAt.toISOString()}::timestamptz, true)`;
}

/** The newest block of observations that is not false; 0 without any. */
function newestOf(observations: SQLWrapper, falseBlocks: readonly number[] = []): SQL {
  return sql`coalesce((select max((one ->> 0)::bigint) from jsonb_array_elements(${observations}) one
    where not ${JSON.stringify(falseBlocks)}::jsonb @> (one -> 0)), 0)`;
}
