import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { runBatch, type Statement, type SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values.ts';
import type { Fee } from '../../platform/rates/fee.ts';
import { attempts, transactions } from '../../platform/database/schema.ts';
import type { Job } from '../job.ts';
import type { AnyOrderKind } from '../order-kind.ts';
import { ofBatch } from '../transactions.store.ts';
import { writeOrders } from './end-transactions.ts';

/** The block of a confirmed transaction after a recheck. */
export interface Placement {
  readonly job: Job;
  readonly txHash: Hex;
  readonly blockNumber: number;
  readonly blockHash: Hex;
  readonly isFinal: boolean;
  /** Its fee in the new block; undefined if it has not moved or is a third party's transaction. */
  readonly fee?: Fee | undefined;
}

/**
 * Records that confirmed transactions are final, or the new block and fee of those that moved, unless another driver
 * has found them final or in another block since they were read.
 */
export async function placeTransactions(db: SystemDb, placements: readonly Placement[], now: Date): Promise<void> {
  if (placements.length === 0) return;
  const shape = {
    id: 'text',
    version: 'integer',
    known_block: 'text',
    tx_hash: 'text',
    block_number: 'bigint',
    block_hash: 'text',
    is_final: 'boolean',
    fee: 'numeric',
    gas_used: 'text',
    price_usd: 'double precision',
    fee_usd: 'double precision',
    price_krw: 'double precision',
    fee_krw: 'double precision',
  } as const;
  const values = placements.map(({ job, txHash, blockNumber, blockHash, isFinal, fee }) => ({
    id: job.transaction.id,
    version: job.transaction.version,
    known_block: job.transaction.blockHash,
    tx_hash: txHash,
    block_number: blockNumber,
    block_hash: blockHash,
    is_final: isFinal,
    fee: fee?.totalFeeNative ?? null,
    gas_used: fee?.gasUsed ?? null,
    price_usd: fee?.nativePriceUsd ?? null,
    fee_usd: fee?.totalFeeUsd ?? null,
    price_krw: fee?.nativePriceKrw ?? null,
    fee_krw: fee?.totalFeeKrw ?? null,
  }));
  const byKind = Map.groupBy(placements, ({ job }) => job.kind);
  await runBatch(db, {
    fees: Array.from(byKind, ([kind, own]) => writeFees(db, kind, own, now)),
    placed: db.sql.execute(sql`
    update ${transactions} t set tx_hash = v.tx_hash, block_number = v.block_number, block_hash = v.block_hash,
      is_final = v.is_final, spent_wei = case when t.bundle_id is null then coalesce(v.fee * 1e18, t.spent_wei) end,
      gas_used = coalesce(v.gas_used, t.gas_used), total_fee_native = coalesce(v.fee, t.total_fee_native),
      native_price_usd = case when v.fee is null then t.native_price_usd else v.price_usd end,
      total_fee_usd = case when v.fee is null then t.total_fee_usd else v.fee_usd end,
      native_price_krw = case when v.fee is null then t.native_price_krw else v.price_krw end,
      total_fee_krw = case when v.fee is null then t.total_fee_krw else v.fee_krw end,
      updated_at = case when t.block_hash = v.block_hash then t.updated_at else ${now.toISOString()}::timestamptz end
    from ${valuesTable('v', shape, values)}
    where t.id = v.id and t.version = v.version and t.block_hash = v.known_block and t.state = 'confirmed' and not t.is_final`),
  });
}

const feeShape = {
  id: 'text',
  version: 'integer',
  knownBlock: 'text',
  gasUsed: 'text',
  totalFeeNative: 'numeric',
  nativePriceUsd: 'double precision',
  totalFeeUsd: 'double precision',
  nativePriceKrw: 'double precision',
  totalFeeKrw: 'double precision',
} as const;

/** The statement that writes the fees of a kind's orders whose transactions are unchanged since they were read; undefined: none has one. */
function writeFees(
  db: SystemDb,
  { orders }: AnyOrderKind,
  placements: readonly Placement[],
  now: Date,
): Statement | undefined {
  const values = placements.flatMap(({ job: { transaction }, fee }) =>
    fee === undefined
      ? []
      : [{ id: transaction.id, version: transaction.version, knownBlock: transaction.blockHash, ...fee }],
  );
  if (orders?.resource !== null || values.length === 0) return undefined;
  return db.sql.execute(sql`
    update ${orders.table} o set ${sql.identifier(orders.columns.gasUsed.name)} = v."gasUsed",
      total_fee_native = v."totalFeeNative", native_price_usd = v."nativePriceUsd", total_fee_usd = v."totalFeeUsd",
      native_price_krw = v."nativePriceKrw", total_fee_krw = v."totalFeeKrw", updated_at = ${now.toISOString()}::timestamptz
    from ${valuesTable('v', feeShape, values)}
    join ${transactions} t on t.id = v.id and t.version = v.version and t.block_hash = v."knownBlock" and t.state = 'confirmed'
      and not t.is_final
    where o.id = t.order_id`);
}

/**
 * Reopens transactions whose block was reorganized out and that were not mined elsewhere, unless another driver has
 * found the block that has them now: they are `signed` again, or `waiting` if they have no nonce, and their orders are
 * under way again. Nothing is decided about them below the head at which their block would be final: a node may have
 * stayed on its branch.
 * @param finality The chain's finality depth.
 * @returns the ids of the transactions that this call reopened.
 */
export async function reopenTransactions(
  db: SystemDb,
  batchId: string,
  jobs: readonly Job[],
  finality: number,
  now: Date,
): Promise<ReadonlySet<string>> {
  const byKind = Map.groupBy(jobs, ({ kind }) => kind);
  const at = now.toISOString();
  const values = jobs.map(({ transaction: { id, version, blockHash } }) => ({ id, version, block_hash: blockHash }));
  const { reopened } = await runBatch(db, {
    locked: Array.from(byKind, ([kind, own]) =>
      kind.locks?.(
        db,
        own.map(({ claim }) => claim),
      ),
    ),
    reopened: db.sql.execute<{ id: string }>(sql`
      update ${transactions} t set state = case when t.nonce is null then 'waiting' else 'signed' end,
        version = t.version + 1, not_before_block = greatest(t.not_before_block, t.block_number + ${finality}::int - 1),
        tx_hash = null, block_number = null, block_hash = null, batch_id = ${batchId}, gas_used = null,
        total_fee_native = null, native_price_usd = null, total_fee_usd = null, native_price_krw = null,
        total_fee_krw = null, error_message = null, completed_at = null, next_try_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
      from ${valuesTable('v', { id: 'text', version: 'integer', block_hash: 'text' }, values)}
      where t.id = v.id and t.version = v.version and t.block_hash = v.block_hash and t.state = 'confirmed' and not t.is_final
      returning t.id`),
    ofKinds: Array.from(byKind, ([kind, own]) => ({
      orders: reopenOrders(db, batchId, kind, own, now),
      linked: kind.reopened(
        db,
        batchId,
        own.map(({ claim }) => claim),
      ),
    })),
  });
  return new Set(reopened.rows.map(({ id }) => id));
}

function reopenOrders(
  db: SystemDb,
  batchId: string,
  { name, orders }: AnyOrderKind,
  jobs: readonly Job[],
  now: Date,
): Statement | undefined {
  if (orders?.resource !== null) return undefined;
  const rows = jobs.map(({ claim, transaction }) => ({
    id: claim.orderId,
    status: transaction.nonce === null ? orders.statuses.processing : orders.statuses.sent,
    txHash: null,
    gasUsed: null,
    totalFeeNative: null,
    nativePriceUsd: null,
    totalFeeUsd: null,
    nativePriceKrw: null,
    totalFeeKrw: null,
    errorMessage: null,
    completedAt: null,
    updatedAt: now,
  }));
  return writeOrders(db, orders, rows, ofBatch(batchId, name, sql`v.id`));
}

/** Maps transaction hashes to the ids of the transactions whose attempts they are. */
export async function ownersOf(db: SystemDb, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await db.sql
    .select({ hash: attempts.hash, id: attempts.transactionId })
    .from(attempts)
    .where(sql`${attempts.hash} in (select jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb))`);
  return new Map(rows.map(({ hash, id }) => [hash, id]));
}

/** The transaction of a lane that holds a nonce, even an ended one, with its newest bytes for that nonce. */
export async function ownerOfNonce(
  db: SystemDb,
  { chainId, walletAddress }: { readonly chainId: string; readonly walletAddress: string },
  nonce: number,
) {
  const rows = await db.sql
    .select({
      id: transactions.id,
      kind: transactions.kind,
      state: transactions.state,
      raw: attempts.raw,
      number: attempts.number,
    })
    .from(transactions)
    .innerJoin(attempts, and(eq(attempts.transactionId, transactions.id), eq(attempts.nonce, transactions.nonce)))
    .where(
      and(
        eq(transactions.chainId, chainId),
        sql`${transactions.walletAddress} = ${walletAddress}`,
        eq(transactions.nonce, nonce),
        isNull(transactions.bundleId),
      ),
    )
    .orderBy(attempts.number);
  return rows.at(-1);
}
