import { and, desc, eq, inArray, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { type Condition, type Statement, type SystemDb, runBatch } from '../../platform/database/client.ts';
import { lanes, transactions, unfinishedStates } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';
import type { Job, TransactionRow } from '../job.ts';
import { standings, type StandingRow } from '../limits.store.ts';
import type { AnyOrderKind, OrderKinds } from '../order-kind.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { epochOf } from './fence.ts';
import { readJobs, selectJobs } from './jobs.ts';
import { isSetBack, saveLane, type LaneSnapshot, type LaneRow } from './lane-row.ts';

/** How long a claim keeps other drivers from a transaction. A crash leaves nothing else behind. */
const CLAIM_SECONDS = 30;
/** When to recheck a lane whose transactions all wait for other orders, in case the wake-up is lost. */
const BLOCKED_SECONDS = 60;

/** What transactions need: a bundle has one nonce for several orders. */
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
  /**
   * How many may be signed; null: nonces up to the window in the lane's row, or `startWindow`, and orders up to
   * {@link MAX_SIGNED}.
   */
  readonly capacity: Reserved | null;
  readonly startWindow: number;
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
  /** The database's epoch. */
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
 * Claims due transactions of a lane and reads them, in one round trip. The claim sets the orders to PROCESSING and
 * postpones the next try; storing an attempt or a hold resets it.
 */
export async function readLane(
  db: SystemDb,
  kinds: OrderKinds,
  lane: WalletLane,
  query: LaneQuery,
): Promise<LaneReading> {
  const all = [...kinds.values()];
  const ofLane = isOfLane(lane);
  const claimed = sql`${transactions.batchId} = ${query.batchId}`;
  const condition = query.includeInFlight
    ? sql`((${ofLane} and ${transactions.state} = 'signed') or ${claimed})`
    : claimed;
  const results = await runBatch(db, {
    claim: claim(db, all, lane, query),
    starts: all.flatMap((kind) => startOrders(db, kind, query)),
    jobs: selectJobs(db, all, condition),
    held: db.sql
      .select({ nonce: transactions.nonce })
      .from(transactions)
      .where(and(ofLane, isNotNull(transactions.nonce), isNull(transactions.bundleId)))
      .orderBy(desc(transactions.nonce))
      .limit(query.includeInFlight ? MAX_HELD_NONCES : 0),
    due: nextDue(db, all, lane, query),
    cancelRequests: db.sql
      .select({ id: transactions.id, at: transactions.cancelRequestedAt })
      .from(transactions)
      .where(and(ofLane, eq(transactions.state, 'signed'), isNotNull(transactions.cancelRequestedAt))),
    standings: standings(db, lane.chainId, query.batchId, query.now),
    // Last, as in every batch, so that locks are always taken in the same order.
    lane: saveLane(db, lane, query.snapshot, query.now),
  });
  return combine(query, readJobs(all, results.jobs), results);
}

/** Which of these nonces transactions of a lane hold, ended ones included. */
export async function readHeld(db: SystemDb, lane: WalletLane, nonces: readonly number[]): Promise<readonly number[]> {
  const rows = await db.sql
    .select({ nonce: transactions.nonce })
    .from(transactions)
    .where(and(isOfLane(lane), inArray(transactions.nonce, [...nonces]), isNull(transactions.bundleId)));
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
  const all = [...kinds.values()];
  const condition = sql`${transactions.id} in (
    select id from ${transactions} where ${isOfLane(lane)} and state in ${unfinishedStates} and id > ${after} and kind in ${[...kinds.keys()]}
    order by id limit ${UNFINISHED})`;
  return readJobs(all, await runBatch(db, selectJobs(db, all, condition))).jobs;
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
  const due = sql`${transactions.id} in (
    select id from ${transactions} where ${isOfLane(lane)} and state = 'confirmed' and not is_final and block_number <= ${lastFinal}
      and kind in ${[...kinds.keys()]}
    order by block_number limit ${MAX_DUE})`;
  const { jobs, next } = await runBatch(db, {
    jobs: selectJobs(db, all, due),
    next: db.sql.execute(sql`select ${lowestNotFinal(lane, lastFinal)} as block`),
  });
  const [row] = blockReply.parse(next).rows;
  return { jobs: readJobs(all, jobs).jobs, next: row?.block ?? null };
}

const blockReply = z.object({ rows: z.array(z.object({ block: z.coerce.number().nullable() })) });

/** The lowest block above another one of a transaction that is confirmed and not final. */
function lowestNotFinal(lane: WalletLane, above: number): SQL {
  return sql`(select min(block_number) from ${transactions}
    where ${isOfLane(lane)} and state = 'confirmed' and not is_final and block_number > ${above})`;
}

function isOfLane({ chainId, walletAddress }: WalletLane): SQL {
  return sql`(${transactions.chainId} = ${chainId} and ${transactions.walletAddress} = ${walletAddress})`;
}

function combine(
  query: LaneQuery,
  { jobs, unknown }: ReturnType<typeof readJobs>,
  results: {
    readonly held: readonly { readonly nonce: number | null }[];
    readonly due: unknown;
    readonly cancelRequests: readonly { readonly id: string; readonly at: Date | null }[];
    readonly standings: readonly StandingRow[];
    readonly lane: readonly LaneRow[];
  },
): LaneReading {
  const [row] = results.lane;
  if (row === undefined) throw new Error('The lane has no row');
  const held = results.held.flatMap(({ nonce }) => nonce ?? []);
  const [due] = dueReply.parse(results.due).rows;
  if (due === undefined) throw new Error('The aggregate has no row');
  const cancelRequests = results.cancelRequests.flatMap(({ id, at }) => (at === null ? [] : [[id, at] as const]));
  const standingOf = new Map(
    results.standings.map(({ accountId, limits, mainWallet, spentToday }) => [
      accountId,
      { limits, mainWallet, spentToday: BigInt(spentToday) },
    ]),
  );
  const isClaimed = ({ batchId, state }: TransactionRow) => batchId === query.batchId && state === 'waiting';
  return {
    lane: row,
    claimed: jobs
      .filter(({ transaction }) => isClaimed(transaction))
      .map((job) => ({ ...job, standing: standingOf.get(job.claim.account.id) ?? null })),
    underWay: jobs.filter(({ transaction }) => !isClaimed(transaction)),
    unknown: unknown.filter(isClaimed),
    held,
    cancelRequests: new Map(cancelRequests),
    nextDueAt: due.at,
    nextFinal: due.nextFinal,
    epoch: due.epoch,
    isSetBack: due.isSetBack,
  };
}

/**
 * As many as are signed together, if a nonce is free: how many of them share one is found out later. Those due first, so
 * that what is held and tried again keeps nothing from its turn, however much of it there is; locked in the order of
 * their ids.
 */
function claim(
  db: SystemDb,
  kinds: readonly AnyOrderKind[],
  { chainId, walletAddress }: WalletLane,
  { batchId, limit, capacity, startWindow, mined, reserved, now }: LaneQuery,
): Statement {
  const at = now.toISOString();
  return db.sql.execute(
    tagged(
      'claim-transactions',
      sql`
    with due as (
      select id from ${transactions}
      where chain_id = ${chainId} and wallet_address = ${walletAddress} and state = 'waiting'
        and next_try_at <= ${at}::timestamptz and ${isUnblocked(kinds, now)}
      order by next_try_at, id
      limit (
        select case
          when coalesce(${capacity?.nonces ?? null}::int, (
            select in_flight_window from ${lanes} where chain_id = ${chainId} and wallet_address = ${walletAddress}
          ), ${startWindow}::int) <= ${reserved.nonces}::int + count(*) filter (where nonce >= ${mined}::bigint and bundle_id is null) then 0
          else greatest(0, least(${limit}::int, ${capacity?.orders ?? MAX_SIGNED}::int - ${reserved.orders}::int - count(*)::int)) end
        from ${transactions} where chain_id = ${chainId} and wallet_address = ${walletAddress} and state = 'signed')
    ),
    picked as (
      select id from ${transactions}
      where id in (select id from due) and state = 'waiting' and next_try_at <= ${at}::timestamptz
      order by id for update
    )
    update ${transactions} set next_try_at = ${at}::timestamptz + interval '1 second' * ${CLAIM_SECONDS}::int,
      tries = tries + 1, batch_id = ${batchId}
    where id in (select id from picked)`,
    ),
  );
}

/** A condition that holds unless the transaction waits for another order to end: a cancelled one does not. */
function isUnblocked(kinds: readonly AnyOrderKind[], now: Date): Condition {
  const at = sql`${now.toISOString()}::timestamptz`;
  const conditions = kinds.flatMap(({ name, dependency }) =>
    dependency === null
      ? []
      : [
          sql`not (${transactions.kind} = ${name} and ${transactions.cancelRequestedAt} is null
            and exists (${dependency.predecessors(sql`${transactions}`, at)}))`,
        ],
  );
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

const dueReply = z.object({
  rows: z.array(
    z.object({
      at: z.coerce.date().nullable(),
      nextFinal: z.coerce.number().nullable(),
      epoch: z.string(),
      isSetBack: z.boolean(),
    }),
  ),
});

/**
 * What is due next in a lane, the database's epoch, and whether it was set back. What waits for another order is due with a later check. Of what
 * is not due soon only the first is read, however many wait.
 */
function nextDue(
  db: SystemDb,
  kinds: readonly AnyOrderKind[],
  lane: WalletLane,
  { batchId, underWay, signedAt, now }: LaneQuery,
): Statement {
  const soon = sql`${now.toISOString()}::timestamptz + interval '1 second' * ${BLOCKED_SECONDS}::int`;
  const first = (time: SQL, condition: Condition) => sql`(
    select ${time} from ${transactions}
    where ${isOfLane(lane)} and state = 'waiting' and (batch_id is null or batch_id not in ${[batchId, ...underWay]}) and ${condition}
    order by next_try_at limit 1)`;
  const unblocked = first(sql`next_try_at`, sql`next_try_at < ${soon} and ${isUnblocked(kinds, now)}`);
  return db.sql.execute(sql`
    select coalesce(${unblocked}, ${first(sql`greatest(next_try_at, ${soon})`, sql`true`)}) as at,
      ${lowestNotFinal(lane, -1)} as "nextFinal", ${epochOf} as epoch,
      ${isSetBack(lane, signedAt)} as "isSetBack"`);
}

/** Moves claimed orders from waiting to processing, if their table distinguishes the two. */
function startOrders(db: SystemDb, { name, orders }: AnyOrderKind, { batchId, now }: LaneQuery): Statement[] {
  if (orders === null || orders.statuses.waiting === orders.statuses.processing) return [];
  return [
    db.sql.execute(sql`
      update ${orders.table} o set status = ${orders.statuses.processing}, updated_at = ${now.toISOString()}::timestamptz
      from ${transactions} t
      where t.batch_id = ${batchId} and t.kind = ${name} and t.order_id = o.id and o.status = ${orders.statuses.waiting}`),
  ];
}
