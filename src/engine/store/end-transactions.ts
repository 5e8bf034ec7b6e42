import { sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { runBatch, type ResultsOf, type Statements, type SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values.ts';
import { tagged } from '../../platform/database/tagged.ts';
import { orders } from '../../platform/database/schema.ts';
import { feeColumnsOf } from '../../platform/rates/fee.ts';
import type { Job } from '../job.ts';
import type { EngineServices } from '../lane-context.ts';
import type { AnyOrderKind, OrderEnd, Outcome } from '../order-kind.ts';
import type { WalletLane } from '../wallet-lane.ts';
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
  /** The endpoints to notify of the ends. */
  readonly receivers: readonly string[];
  /** The results of each kind's `ended` statements. */
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
  { db, hooks }: Pick<EngineServices, 'db' | 'hooks'>,
  lane: WalletLane,
  batchId: string,
  endings: readonly Ending[],
  snapshot: LaneSnapshot | null,
  now: Date,
): Promise<Ended> {
  const byKind = Map.groupBy(endings, ({ job }) => job.kind);
  const told = hooks.ended(
    db,
    batchId,
    endings.map(({ job, outcome }) => ({ job, outcome, end: endOf(outcome) })),
  );
  const results = await runBatch(db, {
    locked: lockLinked(
      db,
      endings.map(({ job }) => job),
    ),
    marked: markEnded(db, batchId, endings),
    linked: Array.from(byKind, ([kind, own]): Statements =>
      kind.ended(
        db,
        batchId,
        own.map(({ outcome }) => outcome),
      ),
    ),
    told,
    released: Array.from(byKind, ([{ dependency }, own]) =>
      dependency?.release?.(
        db,
        batchId,
        own.map(({ job }) => job.transaction.orderId),
        now,
      ),
    ),
    lane: snapshot === null ? undefined : saveLane(db, lane, snapshot, now),
  });
  return {
    resultsOf: new Map(Array.from(byKind.keys(), (kind, place) => [kind, results.linked[place] ?? {}])),
    transactionIds: new Set(results.marked.rows.map(({ id }) => id)),
    receivers: hooks.receiversOf(results.told),
    released: results.released.flatMap((lanes) => lanes ?? []),
  };
}

/** The statements that lock what is linked to orders, before one of them is changed. */
export function lockLinked(db: SystemDb, jobs: readonly Job[]): readonly (Statements | undefined)[] {
  return Array.from(
    Map.groupBy(jobs, ({ kind }) => kind),
    ([kind, own]) =>
      kind.locks?.(
        db,
        own.map(({ claim }) => claim),
      ),
  );
}

/** The columns of a transaction's fee, for `valuesTable`. */
export const FEE_COLUMNS = {
  gasUsed: 'text',
  totalFeeNative: 'numeric',
  nativePriceUsd: 'double precision',
  totalFeeUsd: 'double precision',
  nativePriceKrw: 'double precision',
  totalFeeKrw: 'double precision',
} as const;

function markEnded(db: SystemDb, batchId: string, endings: readonly Ending[]) {
  const shape = {
    id: 'text',
    version: 'integer',
    state: 'text',
    txHash: 'text',
    block_number: 'bigint',
    block_hash: 'text',
    is_nonce_used: 'boolean',
    is_final: 'boolean',
    spent: 'numeric',
    ...FEE_COLUMNS,
    errorMessage: 'text',
    completedAt: 'timestamptz',
    updatedAt: 'timestamptz',
  } as const;
  const values = endings.map(({ job, outcome, mined, isNonceUsed, isFinal }) => ({
    ...endOf(outcome),
    id: job.transaction.id,
    version: job.transaction.version,
    state: outcome.result,
    txHash: mined?.txHash ?? null,
    block_number: mined?.blockNumber ?? null,
    block_hash: mined?.blockHash ?? null,
    is_nonce_used: isNonceUsed,
    is_final: isFinal,
    spent: feeOf(outcome)?.totalFeeNative ?? 0,
  }));
  return db.sql.execute<{ id: string }>(
    tagged(
      'end-transactions',
      sql`
    with v as materialized (select * from ${valuesTable('v', shape, values)}),
    locked as (select id from ${orders} where id in (select id from v) order by id for update)
    update ${orders} t set state = v.state, version = t.version + 1, endings = t.endings + 1, tx_hash = v."txHash",
      block_number = v.block_number, block_hash = v.block_hash, is_final = v.is_final, batch_id = ${batchId},
      hold_reason = null, hold_detail = null, held_since = null, spent_wei = case when t.bundle_id is null then v.spent * 1e18 end,
      gas_used = v."gasUsed", total_fee_native = v."totalFeeNative", native_price_usd = v."nativePriceUsd", total_fee_usd = v."totalFeeUsd",
      native_price_krw = v."nativePriceKrw", total_fee_krw = v."totalFeeKrw", error_message = v."errorMessage",
      completed_at = v."completedAt", updated_at = v."updatedAt"
    from v join locked using (id)
    where t.id = v.id and t.version = v.version
      and (t.state = 'waiting' or (t.state = 'signed' and v.is_nonce_used))
    returning t.id`,
    ),
  );
}

/** The cost of our own transaction; undefined if none was mined. */
function feeOf(outcome: Ending['outcome']) {
  return outcome.result === 'confirmed' ? outcome.fee : outcome.mined?.fee;
}

/** What an ending writes to its order. */
function endOf(outcome: Ending['outcome']): OrderEnd {
  const confirmed = outcome.result === 'confirmed';
  const fee = feeOf(outcome);
  return {
    txHash: outcome.mined?.txHash ?? null,
    gasUsed: fee?.gasUsed ?? null,
    ...feeColumnsOf(fee),
    errorMessage: confirmed ? null : outcome.reason,
    completedAt: outcome.at,
    updatedAt: outcome.at,
  };
}
