import { and, getTableColumns, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { type Condition, type SystemDb, runBatch, runStatement } from '../../platform/database/client.ts';
import { jsonRow, readingOf, rowAsJson, rowFromJson } from '../../platform/database/json-rows.ts';
import { lanes, orders, unfinishedStates } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { isWaiting, type Job, type TransactionRow } from '../job.ts';
import type { EngineServices } from '../lane-context.ts';
import type { AnyOrderKind, OrderKinds } from '../order-kind.ts';
import { dependenciesOf } from '../transactions.store.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { epochOf } from './fence.ts';
import { jobPairs, jobsIn, jobsReply, readJobs, selectJobs } from './jobs.ts';
import { isSetBack, saveLane, type LaneSnapshot, type LaneRow } from './lane-row.ts';

/** How long a claim keeps other drivers from a transaction. A crash leaves nothing else behind. */
const CLAIM_SECONDS = 30;
/** When to recheck a lane whose transactions all wait for other orders, in case the wake-up is lost. */
const BLOCKED_SECONDS = 60;

/** The nonces and orders that transactions need: a bundle has one nonce for several orders. */
export interface Reserved {
  readonly nonces: number;
  readonly orders: number;
}

/** What a driver claims and reads. */
export interface LaneQuery {
  /** A new id that marks the claimed transactions. */
  readonly batchId: string;
  /** The most transactions to claim. */
  readonly limit: number;
  /** How many nonces may be in flight. */
  readonly window: number;
  /**
   * How many transactions of the wallet are known to be mined: those are not in flight, even before their ends are
   * written.
   */
  readonly mined: number;
  readonly reserved: Reserved;
  /** Earlier claims that this driver is still processing; they do not count as due next. */
  readonly underWay: readonly string[];
  /** Whether to also read what is signed, and the nonces that are held. */
  readonly includeInFlight: boolean;
  /** The snapshot to store in the lane's row. */
  readonly snapshot: LaneSnapshot | null;
  /** When first attempts were last stored, as far as the driver knows. */
  readonly signedAt: Date | null;
  readonly now: Date;
}

export interface LaneReading {
  readonly lane: LaneRow;
  /** Claimed by this query, in order of acceptance. */
  readonly claimed: readonly Job[];
  /** Signed; empty unless requested. */
  readonly underWay: readonly Job[];
  /** Claimed, of a kind that this version of the service does not know. */
  readonly unknown: readonly TransactionRow[];
  /** The highest nonces held by transactions of the lane, including ended ones; empty unless `includeInFlight`. */
  readonly held: readonly number[];
  /** When customers asked to cancel signed transactions, by transaction id. */
  readonly cancelRequests: ReadonlyMap<string, Date>;
  /** When the next unclaimed waiting transaction is due; null if none is waiting. */
  readonly nextDueAt: Date | null;
  /** The lowest block of a confirmed transaction that is not final; null if there is none. */
  readonly nextFinal: number | null;
  readonly epoch: string;
  /** Whether the database was set back, see {@link isSetBack}. */
  readonly isSetBack: boolean;
}

/**
 * How many may be signed and not ended, in flight or mined, those that bundles carry included: their ends are written
 * before more are claimed.
 */
export const MAX_SIGNED = 2_000;
/** So many of the highest nonces are read. Transactions signed never reach further back. */
export const MAX_HELD_NONCES = MAX_SIGNED + 200;

/**
 * Claims due transactions of a lane and reads them, in one statement. With the claim the orders are PROCESSING; it
 * postpones the next try; storing an attempt or a hold resets it.
 *
 * Everything but the claimed rows is read as it was when the statement began, even if it then waited for a lock. So a
 * row whose version has changed by then is left to the next claim.
 */
export async function readLane(
  { db, admission }: Pick<EngineServices, 'db' | 'admission'>,
  kinds: OrderKinds,
  lane: WalletLane,
  query: LaneQuery,
): Promise<LaneReading> {
  const all = [...kinds.values()];
  const signed = sql`select * from ${orders} where ${isOfLane(lane)} and state = 'signed'`;
  // The lane's row is locked last, as in every batch: what is selected is read after the tables that it is selected from.
  const statement = (requirement: SQL) => sql`
    with ${claim(all, lane, query)},
    jobs as (select * from claimed ${query.includeInFlight ? sql`union all ${signed}` : sql``}),
    saved as ${saveLane(db, lane, query.snapshot, query.now).returning()}
    select json_build_object(
      ${jobPairs(all)},
      'held', (
        select json_agg(nonce) from (
          select nonce from ${orders} where ${isOfLane(lane)} and nonce is not null and bundle_id is null
          order by nonce desc limit ${query.includeInFlight ? MAX_HELD_NONCES : 0}) held),
      'cancelRequests', (
        select json_object_agg(id, cancel_requested_at) from ${orders}
        where ${isOfLane(lane)} and state = 'signed' and cancel_requested_at is not null),
      'standings', ${admission.standings(lane.chainId, sql`select corporate_account_id from claimed`, query.now)},
      'nextDueAt', ${nextDue(all, lane, query)},
      'nextFinal', ${lowestNotFinal(lane, -1)},
      'epoch', ${epochOf},
      'isSetBack', ${isSetBack(lane, query.signedAt)},
      'lane', (select ${rowAsJson(LANE)} from saved as ${lanes})
    ) as reading
    from (select ${requirement}) fenced, (select count(*) from claimed) done`;
  const reply = await runStatement(db, (requirement) => tagged('claim-transactions', statement(requirement)));
  const reading = readingOf(laneReply, reply);
  const standings = admission.read(lane.chainId, reading.standings);
  const { jobs, unknown } = jobsIn(all, reading);
  return {
    ...reading,
    claimed: jobs.filter(isWaiting).map((job) => ({ ...job, standing: standings.get(job.claim.account.id) ?? null })),
    underWay: jobs.filter((job) => !isWaiting(job)),
    unknown: unknown.filter(isWaiting).map(({ transaction }) => transaction),
  };
}

const LANE = getTableColumns(lanes);

const laneReply = jobsReply.extend({
  lane: jsonRow.transform((json): LaneRow => rowFromJson(LANE, json)),
  held: z
    .array(z.number())
    .nullable()
    .transform((nonces) => nonces ?? []),
  cancelRequests: z
    .record(z.string(), z.coerce.date())
    .nullable()
    .transform((times): ReadonlyMap<string, Date> => new Map(Object.entries(times ?? {}))),
  standings: z.unknown(),
  nextDueAt: z.coerce.date().nullable(),
  nextFinal: z.number().nullable(),
  epoch: z.string(),
  isSetBack: z.boolean(),
});

/** Which of these nonces transactions of a lane hold, ended ones included. */
export async function readHeld(db: SystemDb, lane: WalletLane, nonces: readonly number[]): Promise<readonly number[]> {
  const rows = await db.sql
    .select({ nonce: orders.nonce })
    .from(orders)
    .where(and(isOfLane(lane), inArray(orders.nonce, [...nonces]), isNull(orders.bundleId)));
  return rows.flatMap(({ nonce }) => nonce ?? []);
}

/** How many unfinished transactions are read at a time. */
const UNFINISHED = 500;

/**
 * Reads unfinished transactions of a lane, in order of acceptance, each with its order.
 * @param after The id of the last one that was read; empty for the first.
 * @returns none if there are no more.
 */
export async function readUnfinished(
  db: SystemDb,
  kinds: OrderKinds,
  lane: WalletLane,
  after: string,
): Promise<readonly Job[]> {
  const condition = sql`${orders.id} in (
    select id from ${orders} where ${isOfLane(lane)} and state in ${unfinishedStates} and id > ${after} and kind in ${[...kinds.keys()]}
    order by id limit ${UNFINISHED})`;
  return await jobsWith(db, [...kinds.values()], condition);
}

async function jobsWith(db: SystemDb, kinds: readonly AnyOrderKind[], condition: Condition): Promise<readonly Job[]> {
  const { reply } = await runBatch(db, { reply: selectJobs(db, kinds, condition) });
  return readJobs(kinds, reply).jobs;
}

/** How many confirmed transactions are checked at finality at a time. */
export const MAX_DUE = 200;

/**
 * Reads confirmed transactions whose block has become final, lowest block first.
 * @param lastFinal The number of the last final block.
 * @returns `jobs`: at most {@link MAX_DUE}; `next`: the lowest later block of one that is not final, null if there is
 *   none.
 */
export async function readDueAtFinality(
  db: SystemDb,
  kinds: OrderKinds,
  lane: WalletLane,
  lastFinal: number,
): Promise<{ readonly jobs: readonly Job[]; readonly next: number | null }> {
  const all = [...kinds.values()];
  const due = sql`${orders.id} in (
    select id from ${orders} where ${isOfLane(lane)} and state = 'confirmed' and not is_final and block_number <= ${lastFinal}
      and kind in ${[...kinds.keys()]}
    order by block_number limit ${MAX_DUE})`;
  const { reply } = await runBatch(db, {
    reply: selectJobs(db, all, due, sql`, 'next', ${lowestNotFinal(lane, lastFinal)}`),
  });
  const reading = readingOf(dueReply, reply);
  return { jobs: jobsIn(all, reading).jobs, next: reading.next };
}

/**
 * Reads transactions that were confirmed in a block and after it and are not final: at most {@link MAX_DUE}, lowest
 * block first.
 */
export async function readConfirmedSince(
  db: SystemDb,
  kinds: OrderKinds,
  lane: WalletLane,
  blockNumber: number,
): Promise<readonly Job[]> {
  const since = sql`${orders.id} in (
    select id from ${orders} where ${isOfLane(lane)} and state = 'confirmed' and not is_final and block_number >= ${blockNumber}
      and kind in ${[...kinds.keys()]}
    order by block_number limit ${MAX_DUE})`;
  return await jobsWith(db, [...kinds.values()], since);
}

const dueReply = jobsReply.extend({ next: z.number().nullable() });

/** The lowest block above another one of a transaction that is confirmed and not final. */
function lowestNotFinal(lane: WalletLane, above: number): SQL {
  return sql`(select min(block_number) from ${orders}
    where ${isOfLane(lane)} and state = 'confirmed' and not is_final and block_number > ${above})`;
}

/** A condition on `orders`: a row is of a lane. */
export function isOfLane({ chainId, walletAddress }: WalletLane): SQL {
  return sql`(${orders.chainId} = ${chainId} and ${orders.walletAddress} = ${walletAddress})`;
}

/**
 * The tables `due`, `picked` and `claimed`: as many transactions as are signed together, if a nonce is free; how many
 * of them share one is decided later. The longest due come first, so that held orders, however many, keep no other from
 * its turn. Rows are locked in the order of their ids. A row whose version changed during the wait for its lock is left
 * out: the rest of the statement reads its older state.
 */
function claim(
  kinds: readonly AnyOrderKind[],
  lane: WalletLane,
  { batchId, limit, window, mined, reserved, now }: LaneQuery,
): SQL {
  const at = sql`${now.toISOString()}::timestamptz`;
  return sql`
    due as materialized (
      select id, version from ${orders}
      where ${isOfLane(lane)} and state = 'waiting' and next_try_at <= ${at} and ${isUnblocked(kinds, at)}
      order by next_try_at, id
      limit (
        select case
          when ${window}::int <= ${reserved.nonces}::int + count(*) filter (where nonce >= ${mined}::bigint and bundle_id is null) then 0
          else greatest(0, least(${limit}::int, ${MAX_SIGNED}::int - ${reserved.orders}::int - count(*)::int)) end
        from ${orders} where ${isOfLane(lane)} and state = 'signed')
    ),
    picked as materialized (
      select locked.id from (select * from due order by id) d cross join lateral (
        select t.id from ${orders} t
        where t.id = d.id and t.version = d.version and t.state = 'waiting' and t.next_try_at <= ${at}
        limit 1 for update) locked
    ),
    claimed as (
      update ${orders} set next_try_at = ${at} + interval '1 second' * ${CLAIM_SECONDS}::int, tries = tries + 1, claimed_at = coalesce(claimed_at, ${at}),
        batch_id = ${batchId}
      where id in (select id from picked)
      returning *
    )`;
}

/** A condition that holds unless the transaction waits for another order to end: a cancelled one does not. */
function isUnblocked(kinds: readonly AnyOrderKind[], at: SQL): Condition {
  const conditions = dependenciesOf(kinds).map(
    ({ dependency, names }) =>
      sql`not (${orders.kind} in ${names} and ${orders.cancelRequestedAt} is null
        and exists (${dependency.predecessors(sql`${orders}`, at)}))`,
  );
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/**
 * When the next transaction that this statement does not claim is due. One that waits for another order is due with a
 * later check. Of those that are not due soon only the first is read, however many wait.
 */
function nextDue(kinds: readonly AnyOrderKind[], lane: WalletLane, { underWay, batchId, now }: LaneQuery): SQL {
  const at = sql`${now.toISOString()}::timestamptz`;
  const soon = sql`${at} + interval '1 second' * ${BLOCKED_SECONDS}::int`;
  const first = (time: SQL, condition: Condition) => sql`(
    select ${time} from ${orders}
    where ${isOfLane(lane)} and state = 'waiting' and id not in (select id from claimed)
      and (batch_id is null or batch_id not in ${[batchId, ...underWay]}) and ${condition}
    order by next_try_at limit 1)`;
  const unblocked = first(sql`next_try_at`, sql`next_try_at < ${soon} and ${isUnblocked(kinds, at)}`);
  return sql`coalesce(${unblocked}, ${first(sql`greatest(next_try_at, ${soon})`, sql`true`)})`;
}
