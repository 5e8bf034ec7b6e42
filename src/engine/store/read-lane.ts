import { and, asc, desc, eq, isNotNull, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { accountColumns } from '../../accounts/accounts.store.ts';
import type { Condition, Statement, SystemDb } from '../../platform/database/client.ts';
import { runBatch } from '../../platform/database/client.ts';
import { attempts, corporateAccounts, lanes, transactions } from '../../platform/database/schema.ts';
import type { AttemptRow, Job, TransactionRow } from '../job.ts';
import { standings } from '../limits.store.ts';
import type { StandingRow } from '../limits.store.ts';
import type { AnyOrderKind, OrderKinds } from '../order-kind.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { pausedBy } from './pauses.ts';
import { noteLane } from './lane-row.ts';
import type { LaneNote, LaneRow } from './lane-row.ts';

/** How long a claim keeps other drivers off a transaction; a crash leaves nothing else behind. */
const CLAIM_SECONDS = 30;
/** A lane whose transactions all wait for others' is looked at again after this, should the wake-up be lost. */
const BLOCKED_SECONDS = 60;

/** What a driver asks of the database. */
export interface LaneQuery {
  /** A new id: the mark of what this claims. */
  readonly batchId: string;
  /** At most so many transactions are claimed. */
  readonly most: number;
  /** How many nonces may be in flight; null for what the lane's row says, or else `startWindow`. */
  readonly window: number | null;
  readonly startWindow: number;
  /** Nonces that are about to be used and not stored yet. */
  readonly reserved: number;
  /** Earlier claims of this driver that it is still at work on: they are not what is due next. */
  readonly underWay: readonly string[];
  /** Whether what is signed, and what is confirmed and not final, is to be read too. */
  readonly whole: boolean;
  /** What to write into the lane's row on the way. */
  readonly note: LaneNote | null;
  readonly now: Date;
}

export interface LaneReading {
  readonly lane: LaneRow;
  /** Claimed by this very query, in order of acceptance. */
  readonly claimed: readonly Job[];
  /** Signed, or confirmed and not final; empty unless the whole lane was asked for. */
  readonly underWay: readonly Job[];
  /** The highest nonces that transactions of the lane hold, ended ones too. */
  readonly held: readonly number[];
  /** When customers wanted signed transactions cancelled, by transaction id. */
  readonly cancelRequests: ReadonlyMap<string, Date>;
  /** When the next waiting transaction is due that this driver has not claimed; null when none waits. */
  readonly nextDueAt: Date | null;
}

/** So many of the highest nonces are read; what is in flight never reaches further back. */
export const MOST_HELD = 1_200;

/**
 * Claims due transactions of a lane and reads them, all in one round trip. The claim changes no state but that of
 * orders, which are PROCESSING from now on; it puts the next try off, and storing an attempt or a hold sets it anew.
 */
export async function readLane(
  db: SystemDb,
  kinds: OrderKinds,
  lane: WalletLane,
  query: LaneQuery,
): Promise<LaneReading> {
  const all = [...kinds.values()];
  const ofLane = and(eq(transactions.chainId, lane.chainId), eq(transactions.walletAddress, lane.walletAddress));
  const claimed = sql`${transactions.batchId} = ${query.batchId}`;
  const condition = query.whole
    ? or(
        and(ofLane, eq(transactions.state, 'signed')),
        and(ofLane, sql`${transactions.state} = 'confirmed' and not ${transactions.isFinal}`),
        claimed,
      )
    : claimed;
  if (condition === undefined) throw new Error('A reading has a condition');
  const starts = all.flatMap((kind) => startOrders(db, kind, query));
  const loads = all.map((kind) => kind.load(db, condition));
  const results = await runBatch(db, [
    claim(db, all, lane, query),
    ...starts,
    db.sql
      .select({
        transaction: transactions,
        account: accountColumns,
        accountStatus: corporateAccounts.status,
        paused: pausedBy,
      })
      .from(transactions)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, transactions.corporateAccountId))
      .where(condition)
      .orderBy(asc(transactions.id)),
    db.sql
      .select({ attempt: attempts })
      .from(attempts)
      .innerJoin(transactions, eq(transactions.id, attempts.transactionId))
      .where(condition)
      .orderBy(asc(attempts.number)),
    db.sql
      .select({ nonce: transactions.nonce })
      .from(transactions)
      .where(and(ofLane, isNotNull(transactions.nonce)))
      .orderBy(desc(transactions.nonce))
      .limit(MOST_HELD),
    nextDue(db, all, lane, query),
    db.sql
      .select({ id: transactions.id, at: transactions.cancelRequestedAt })
      .from(transactions)
      .where(and(ofLane, eq(transactions.state, 'signed'), isNotNull(transactions.cancelRequestedAt))),
    standings(db, lane.chainId, query.batchId, query.now),
    ...loads,
    // Last, as in every batch: what is locked is locked in the same order by all.
    noteLane(db, lane, query.note, query.now),
  ]);
  return combine(all, query, results, 1 + starts.length);
}

interface Row {
  readonly transaction: TransactionRow;
  readonly account: Job['claim']['account'];
  readonly accountStatus: Job['accountStatus'];
  readonly paused: Job['paused'];
}

/* oxlint-disable typescript/no-unsafe-type-assertion -- a batch forgets the types of its statements; each is the result of the statement in its place */
function combine(
  kinds: readonly AnyOrderKind[],
  query: LaneQuery,
  results: readonly unknown[],
  first: number,
): LaneReading {
  const [row] = results.at(-1) as LaneRow[];
  if (row === undefined) throw new Error('A lane has a row');
  const rows = results[first] as Row[];
  const attemptsOf = Map.groupBy(
    (results[first + 1] as { attempt: AttemptRow }[]).map(({ attempt }) => attempt),
    ({ transactionId }) => transactionId,
  );
  const held = (results[first + 2] as { nonce: number }[]).map(({ nonce }) => nonce);
  const due = dueReply.parse(results[first + 3]).rows[0]?.at ?? null;
  const cancelRequests = (results[first + 4] as { id: string; at: Date | null }[]).flatMap(({ id, at }) =>
    at === null ? [] : [[id, at] as const],
  );
  const standingOf = new Map(
    (results[first + 5] as StandingRow[]).map(({ accountId, limits, spentToday }) => [
      accountId,
      { limits, spentToday: BigInt(spentToday) },
    ]),
  );
  const orders = new Map(
    kinds.flatMap((kind, index) =>
      (results[first + 6 + index] as { orderId: string; order: unknown }[]).map(
        ({ orderId, order }) => [`${kind.name}:${orderId}`, { kind, order }] as const,
      ),
    ),
  );
  /* oxlint-enable typescript/no-unsafe-type-assertion */
  const jobs = rows.flatMap(({ transaction, account, accountStatus, paused }): Job[] => {
    const found = orders.get(`${transaction.kind}:${transaction.orderId}`);
    if (found === undefined) return [];
    const { orderId, chainId } = transaction;
    return [
      {
        transaction,
        kind: found.kind,
        claim: { orderId, chainId, account, order: found.order },
        accountStatus,
        paused,
        standing: standingOf.get(account.id) ?? null,
        attempts: attemptsOf.get(transaction.id) ?? [],
      },
    ];
  });
  const isClaimed = ({ transaction }: Job) => transaction.batchId === query.batchId && transaction.state === 'waiting';
  return {
    lane: row,
    claimed: jobs.filter(isClaimed),
    underWay: jobs.filter((job) => !isClaimed(job)),
    held,
    cancelRequests: new Map(cancelRequests),
    nextDueAt: due,
  };
}

/** The oldest due transactions, locked in the order of their ids. */
function claim(
  db: SystemDb,
  kinds: readonly AnyOrderKind[],
  { chainId, walletAddress }: WalletLane,
  { batchId, most, window, startWindow, reserved, now }: LaneQuery,
): Statement {
  const at = now.toISOString();
  return db.sql.execute(sql`
    with picked as (
      select id from ${transactions}
      where chain_id = ${chainId} and wallet_address = ${walletAddress} and state = 'waiting'
        and next_try_at <= ${at}::timestamptz and ${isUnblocked(kinds)}
      order by id
      limit greatest(0, least(${most}::int, coalesce(${window}::int, (
          select in_flight_window from ${lanes} where chain_id = ${chainId} and wallet_address = ${walletAddress}
        ), ${startWindow}::int) - ${reserved}::int - (
          select count(*)::int from ${transactions}
          where chain_id = ${chainId} and wallet_address = ${walletAddress} and state = 'signed')))
      for update
    )
    update ${transactions} set next_try_at = ${at}::timestamptz + interval '1 second' * ${CLAIM_SECONDS}::int,
      tries = tries + 1, batch_id = ${batchId}
    where id in (select id from picked)`);
}

/** Not waiting for another order to end. */
function isUnblocked(kinds: readonly AnyOrderKind[]): Condition {
  const conditions = kinds.flatMap(({ name, dependency }) =>
    dependency === null ? [] : [sql`not (${transactions.kind} = ${name} and ${dependency.blocked})`],
  );
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

const dueReply = z.object({ rows: z.array(z.object({ at: z.coerce.date().nullable() })) });

function nextDue(
  db: SystemDb,
  kinds: readonly AnyOrderKind[],
  { chainId, walletAddress }: WalletLane,
  { batchId, underWay, now }: LaneQuery,
): Statement {
  return db.sql.execute(sql`
    select min(case when ${isUnblocked(kinds)} then next_try_at
      else greatest(next_try_at, ${now.toISOString()}::timestamptz + interval '1 second' * ${BLOCKED_SECONDS}::int) end) as at
    from ${transactions}
    where chain_id = ${chainId} and wallet_address = ${walletAddress} and state = 'waiting'
      and (batch_id is null or batch_id not in ${[batchId, ...underWay]})`);
}

/** Moves the orders of what was claimed from waiting to processing, where their table tells the two apart. */
function startOrders(db: SystemDb, { name, orders }: AnyOrderKind, { batchId, now }: LaneQuery): Statement[] {
  if (orders === null || orders.statuses.waiting === orders.statuses.processing) return [];
  return [
    db.sql.execute(sql`
      update ${orders.table} o set status = ${orders.statuses.processing}, updated_at = ${now.toISOString()}::timestamptz
      from ${transactions} t
      where t.batch_id = ${batchId} and t.kind = ${name} and t.order_id = o.id and o.status = ${orders.statuses.waiting}`),
  ];
}
