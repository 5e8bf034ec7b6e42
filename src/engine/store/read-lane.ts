import { and, asc, desc, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { walletColumns } from '../../accounts/accounts.store.ts';
import type { Condition, Statement, SystemDb } from '../../platform/database/client.ts';
import { runBatch } from '../../platform/database/client.ts';
import { corporateAccounts, lanes, transactions } from '../../platform/database/schema.ts';
import { tagged } from '../../platform/database/tagged.ts';
import type { AttemptRow, Job, TransactionRow } from '../job.ts';
import { standings } from '../limits.store.ts';
import type { StandingRow } from '../limits.store.ts';
import type { AnyOrderKind, OrderKinds } from '../order-kind.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { pausedOn } from './pauses.ts';
import { selectAttempts } from './select-attempts.ts';
import { saveLane } from './lane-row.ts';
import type { LaneSnapshot, LaneRow } from './lane-row.ts';

/** How long a claim keeps other drivers from a transaction. A crash leaves nothing else behind. */
const CLAIM_SECONDS = 30;
/** When to recheck a lane whose transactions all wait for other orders, in case the wake-up is lost. */
const BLOCKED_SECONDS = 60;

/** What a driver claims and reads. */
export interface LaneQuery {
  /** A new id that marks the claimed transactions. */
  readonly batchId: string;
  /** The most transactions to claim. */
  readonly limit: number;
  /** How many nonces may be in flight; null to use the value in the lane's row, or `startWindow`. */
  readonly window: number | null;
  readonly startWindow: number;
  /** How many transactions of the wallet are known to be mined: those are not in flight, even before their ends are written. */
  readonly mined: number;
  /** The number of nonces reserved for transactions that are not stored yet. */
  readonly reserved: number;
  /** Earlier claims that this driver is still processing; they do not count as due next. */
  readonly underWay: readonly string[];
  /** Whether to also read transactions that are signed, or confirmed but not final. */
  readonly includeInFlight: boolean;
  /** The snapshot to store in the lane's row. */
  readonly snapshot: LaneSnapshot | null;
  readonly now: Date;
}

export interface LaneReading {
  readonly lane: LaneRow;
  /** Claimed by this query, in order of acceptance. */
  readonly claimed: readonly Job[];
  /** Signed, or confirmed but not final; empty unless requested. */
  readonly underWay: readonly Job[];
  /** The highest nonces held by transactions of the lane, including ended ones; empty unless `includeInFlight`. */
  readonly held: readonly number[];
  /** When customers asked to cancel signed transactions, by transaction id. */
  readonly cancelRequests: ReadonlyMap<string, Date>;
  /** When the next unclaimed waiting transaction is due; null if none is waiting. */
  readonly nextDueAt: Date | null;
}

/** How many may be signed and not ended, in flight or mined: their ends are written before more are claimed. */
export const MAX_SIGNED = 1_000;
/** So many of the highest nonces are read. Transactions signed never reach further back. */
export const MAX_HELD_NONCES = MAX_SIGNED + 200;

/**
 * Claims due transactions of a lane and reads them, in one round trip. The claim sets the orders to PROCESSING and postpones
 * the next try; storing an attempt or a hold resets it.
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
  const condition = query.includeInFlight
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
        ...walletColumns(lane.walletAddress),
        status: corporateAccounts.status,
        paused: pausedOn(lane.chainId),
      })
      .from(corporateAccounts)
      .where(
        inArray(
          corporateAccounts.id,
          db.sql.select({ id: transactions.corporateAccountId }).from(transactions).where(condition),
        ),
      ),
    db.sql.select().from(transactions).where(condition).orderBy(asc(transactions.id)),
    selectAttempts(db, condition),
    db.sql
      .select({ nonce: transactions.nonce })
      .from(transactions)
      .where(and(ofLane, isNotNull(transactions.nonce)))
      .orderBy(desc(transactions.nonce))
      .limit(query.includeInFlight ? MAX_HELD_NONCES : 0),
    nextDue(db, all, lane, query),
    db.sql
      .select({ id: transactions.id, at: transactions.cancelRequestedAt })
      .from(transactions)
      .where(and(ofLane, eq(transactions.state, 'signed'), isNotNull(transactions.cancelRequestedAt))),
    standings(db, lane.chainId, query.batchId, query.now),
    ...loads,
    // Last, as in every batch, so that locks are always taken in the same order.
    saveLane(db, lane, query.snapshot, query.now),
  ]);
  return combine(all, query, results, 1 + starts.length);
}

type AccountRow = Job['claim']['account'] & { readonly status: string; readonly paused: Job['paused'] };

/* oxlint-disable typescript/no-unsafe-type-assertion -- a batch loses the types of its statements; each result is that of the statement at its index */
function combine(
  kinds: readonly AnyOrderKind[],
  query: LaneQuery,
  results: readonly unknown[],
  first: number,
): LaneReading {
  const [row] = results.at(-1) as LaneRow[];
  if (row === undefined) throw new Error('A lane has a row');
  const accounts = new Map((results[first] as AccountRow[]).map((account) => [account.id, account]));
  const rows = results[first + 1] as TransactionRow[];
  const attemptsOf = Map.groupBy(
    (results[first + 2] as { attempt: AttemptRow }[]).map(({ attempt }) => attempt),
    ({ transactionId }) => transactionId,
  );
  const held = (results[first + 3] as { nonce: number }[]).map(({ nonce }) => nonce);
  const due = dueReply.parse(results[first + 4]).rows[0]?.at ?? null;
  const cancelRequests = (results[first + 5] as { id: string; at: Date | null }[]).flatMap(({ id, at }) =>
    at === null ? [] : [[id, at] as const],
  );
  const standingOf = new Map(
    (results[first + 6] as StandingRow[]).map(({ accountId, limits, mainWallet, spentToday }) => [
      accountId,
      { limits, mainWallet, spentToday: BigInt(spentToday) },
    ]),
  );
  const orders = new Map(
    kinds.flatMap((kind, index) =>
      (results[first + 7 + index] as { orderId: string; order: unknown }[]).map(
        ({ orderId, order }) => [`${kind.name}:${orderId}`, { kind, order }] as const,
      ),
    ),
  );
  /* oxlint-enable typescript/no-unsafe-type-assertion */
  const jobs = rows.flatMap((transaction): Job[] => {
    const { orderId, chainId, kind, corporateAccountId } = transaction;
    const found = orders.get(`${kind}:${orderId}`);
    const owner = accounts.get(corporateAccountId);
    if (found === undefined || owner === undefined) return [];
    const { status: accountStatus, paused, ...account } = owner;
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
  { batchId, limit, window, startWindow, mined, reserved, now }: LaneQuery,
): Statement {
  const at = now.toISOString();
  return db.sql.execute(
    tagged(
      'claim-transactions',
      sql`
    with picked as (
      select id from ${transactions}
      where chain_id = ${chainId} and wallet_address = ${walletAddress} and state = 'waiting'
        and next_try_at <= ${at}::timestamptz and ${isUnblocked(kinds)}
      order by id
      limit (
        select greatest(0, least(${limit}::int, ${MAX_SIGNED}::int - ${reserved}::int - count(*)::int,
          coalesce(${window}::int, (
            select in_flight_window from ${lanes} where chain_id = ${chainId} and wallet_address = ${walletAddress}
          ), ${startWindow}::int) - ${reserved}::int - count(*) filter (where nonce >= ${mined}::bigint)::int))
        from ${transactions} where chain_id = ${chainId} and wallet_address = ${walletAddress} and state = 'signed')
      for update
    )
    update ${transactions} set next_try_at = ${at}::timestamptz + interval '1 second' * ${CLAIM_SECONDS}::int,
      tries = tries + 1, batch_id = ${batchId}
    where id in (select id from picked)`,
    ),
  );
}

/** A condition that holds unless the transaction waits for another order to end. */
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
