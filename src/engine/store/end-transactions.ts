import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import {
  runBatch,
  type Condition,
  type ResultsOf,
  type Statement,
  type Statements,
  type SystemDb,
} from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { transactions } from '../../platform/database/schema.ts';
import { feeColumnsOf } from '../../platform/rates/fee.ts';
import { endpointsOf, insertEvents } from '../../webhooks/events.store.ts';
import type { Job } from '../job.ts';
import { statusesOf, type AnyOrderKind, type OrderEnd, type OrderTable, type Outcome } from '../order-kind.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { ofBatch } from '../transactions.store.ts';
import { saveLane, type LaneSnapshot } from './lane-row.ts';

/** How a transaction ends. */
export interface Ending {
  readonly job: Job;
  readonly outcome: Outcome<unknown, unknown>;
  /** The mined transaction that ended it; null if none was mined. */
  readonly mined: { readonly txHash: Hex; readonly blockNumber: number; readonly blockHash: Hex } | null;
  /** Whether its nonce is consumed; otherwise only a transaction without a nonce can end. */
  readonly isNonceUsed: boolean;
  /** Whether the block is final. */
  readonly isFinal: boolean;
}

/** The result of a batch of endings. */
export interface Ended {
  /** Ids of the transactions that this batch ended; another driver changed the others in the meantime. */
  readonly transactionIds: ReadonlySet<string>;
  /** Ids of the endpoints that get the events, one for each delivery. */
  readonly endpointIds: readonly string[];
  /** Of the statements of each kind's `ended`. */
  readonly resultsOf: ReadonlyMap<AnyOrderKind, ResultsOf<Statements>>;
  /** Lanes with work that was waiting for these orders. */
  readonly released: readonly WalletLane[];
}

/**
 * Ends orders and what is linked to them, and stores the events, in one SQL transaction. Its first writing statement
 * ends the rows that are unchanged since they were read and marks them with the batch id; every other statement is
 * restricted to that mark. A repeated call changes nothing.
 * @param snapshot Of the lane's driver; null if no driver ends them.
 */
export async function endTransactions(
  db: SystemDb,
  lane: WalletLane,
  batchId: string,
  endings: readonly Ending[],
  snapshot: LaneSnapshot | null,
  now: Date,
): Promise<Ended> {
  const byKind = Map.groupBy(endings, ({ job }) => job.kind);
  const releases = Array.from(byKind.keys(), ({ dependency }) => dependency).filter(
    (dependency) => dependency !== null,
  );
  const ends = new Map(endings.map((ending) => [ending, endOf(ending)]));
  const events = insertEvents(
    db,
    batchId,
    endings.flatMap((ending) => eventOf(ending, ends.get(ending) ?? endOf(ending))),
  );
  const results = await runBatch(db, {
    locked: Array.from(byKind, ([kind, own]) =>
      kind.locks?.(
        db,
        own.map(({ job }) => job.claim),
      ),
    ),
    marked: markEnded(db, batchId, endings, now),
    linked: Array.from(byKind, ([kind, own]): Statements =>
      kind.ended(
        db,
        batchId,
        own.map(({ outcome }) => outcome),
      ),
    ),
    orders: Array.from(byKind, ([kind, own]) => writeOrderEnds(db, batchId, kind, own, ends)),
    events,
    released: releases.map((dependency) => dependency.release(db, batchId, now)),
    lane: snapshot === null ? undefined : saveLane(db, lane, snapshot, now),
  });
  return {
    resultsOf: new Map(Array.from(byKind.keys(), (kind, place) => [kind, results.linked[place] ?? {}])),
    transactionIds: new Set(results.marked.rows.map(({ id }) => id)),
    endpointIds: endpointsOf(results.events),
    released: results.released.flat(),
  };
}

function markEnded(db: SystemDb, batchId: string, endings: readonly Ending[], now: Date) {
  const shape = {
    id: 'text',
    version: 'integer',
    state: 'text',
    tx_hash: 'text',
    block_number: 'bigint',
    block_hash: 'text',
    is_nonce_used: 'boolean',
    is_final: 'boolean',
    fee: 'numeric',
    ...RESULT,
  } as const;
  const values = endings.map(({ job, outcome, mined, isNonceUsed, isFinal }) => ({
    id: job.transaction.id,
    version: job.transaction.version,
    state: outcome.result,
    tx_hash: mined?.txHash ?? null,
    block_number: mined?.blockNumber ?? null,
    block_hash: mined?.blockHash ?? null,
    is_nonce_used: isNonceUsed,
    is_final: isFinal,
    fee: feeOf(outcome)?.totalFeeNative ?? 0,
    gasUsed: feeOf(outcome)?.gasUsed ?? null,
    ...feeColumnsOf(feeOf(outcome)),
    errorMessage: outcome.result === 'confirmed' ? null : outcome.reason,
    completedAt: outcome.at,
  }));
  return db.sql.execute<{ id: string }>(
    tagged(
      'end-transactions',
      sql`
    with v as materialized (select * from ${valuesTable('v', shape, values)}),
    locked as (select id from ${transactions} where id in (select id from v) order by id for update)
    update ${transactions} t set state = v.state, version = t.version + 1, endings = t.endings + 1, tx_hash = v.tx_hash,
      block_number = v.block_number, block_hash = v.block_hash, is_final = v.is_final, batch_id = ${batchId},
      hold_reason = null, hold_detail = null, held_since = null, spent_wei = case when t.bundle_id is null then v.fee * 1e18 end,
      gas_used = v."gasUsed", ${resultOf('v')}, updated_at = ${now.toISOString()}::timestamptz
    from v join locked using (id)
    where t.id = v.id and t.version = v.version
      and (t.state = 'waiting' or (t.state = 'signed' and v.is_nonce_used))
    returning t.id`,
    ),
  );
}

function writeOrderEnds(
  db: SystemDb,
  batchId: string,
  { name, orders }: AnyOrderKind,
  endings: readonly Ending[],
  ends: ReadonlyMap<Ending, OrderEnd>,
): Statement | undefined {
  if (orders?.resource !== null) return undefined;
  const rows = endings.flatMap((ending) => {
    const end = ends.get(ending);
    return end === undefined ? [] : [{ id: ending.job.claim.orderId, ...end }];
  });
  return writeOrders(db, orders, rows, ofBatch(batchId, name, sql`v.id`));
}

/** The cost of our own transaction; undefined if none was mined. */
function feeOf(outcome: Ending['outcome']) {
  return outcome.result === 'confirmed' ? outcome.fee : outcome.mined?.fee;
}

/** What an ending writes to its order. */
function endOf({ job: { kind }, outcome }: Ending): OrderEnd {
  const confirmed = outcome.result === 'confirmed';
  const fee = feeOf(outcome);
  return {
    status: statusesOf(kind.orders)[outcome.result],
    txHash: outcome.mined?.txHash ?? null,
    gasUsed: fee?.gasUsed ?? null,
    ...feeColumnsOf(fee),
    errorMessage: confirmed ? null : outcome.reason,
    completedAt: outcome.at,
    updatedAt: outcome.at,
  };
}

function eventOf({ job: { kind, claim, transaction }, outcome }: Ending, end: OrderEnd) {
  if (kind.events === null) return [];
  return [
    {
      kind: kind.name,
      type: kind.events.types[outcome.result].type,
      accountId: claim.account.id,
      chainId: claim.chainId,
      orderId: claim.orderId,
      at: outcome.at,
      data: kind.events.reply(outcome, {
        ...end,
        progress: { hold: null, cancelRequestedAt: transaction.cancelRequestedAt, awaitsApproval: false },
      }),
    },
  ];
}

/** A table beside the ledger. */
type TableApart = Extract<OrderTable, { readonly resource: null }>;

/** The columns written to an order; `completedAt` is null if it is reopened. */
export type OrderWrite = Omit<OrderEnd, 'completedAt'> & { readonly id: string; readonly completedAt: Date | null };

/** What an order has once it has ended, in `valuesTable`. */
const RESULT = {
  gasUsed: 'text',
  totalFeeNative: 'numeric',
  nativePriceUsd: 'double precision',
  totalFeeUsd: 'double precision',
  nativePriceKrw: 'double precision',
  totalFeeKrw: 'double precision',
  errorMessage: 'text',
  completedAt: 'timestamptz',
} as const;

/** The assignments of it, but for the hash and the gas, of which tables have names of their own. */
const resultOf = (row: string) =>
  sql.raw(`total_fee_native = ${row}."totalFeeNative", native_price_usd = ${row}."nativePriceUsd",
      total_fee_usd = ${row}."totalFeeUsd", native_price_krw = ${row}."nativePriceKrw", total_fee_krw = ${row}."totalFeeKrw",
      error_message = ${row}."errorMessage", completed_at = ${row}."completedAt"`);

const shape = { id: 'text', status: 'text', txHash: 'text', ...RESULT, updatedAt: 'timestamptz' } as const;

/**
 * The statement that writes how orders ended, or that they are reopened.
 * @param condition Which rows to write: a condition on them as `v`.
 */
export function writeOrders(
  db: SystemDb,
  { table, columns }: TableApart,
  rows: readonly OrderWrite[],
  condition: Condition,
): Statement {
  return db.sql.execute(sql`
    update ${table} o set status = v.status, ${sql.identifier(columns.txHash.name)} = v."txHash",
      ${sql.identifier(columns.gasUsed.name)} = v."gasUsed", ${resultOf('v')}, updated_at = v."updatedAt"
    from ${valuesTable('v', shape, rows)}
    where o.id = v.id and ${condition}`);
}
