import { and, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Hex } from 'viem';
import { runBatch, type SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values.ts';
import { feeColumnsOf, type Fee } from '../../platform/rates/fee.ts';
import { attempts, orders } from '../../platform/database/schema.ts';
import type { Job } from '../job.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { FEE_COLUMNS, lockLinked } from './end-transactions.ts';
import { isOfLane } from './read-lane.ts';

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
    ...FEE_COLUMNS,
  } as const;
  const values = placements.map(({ job: { transaction }, txHash, blockNumber, blockHash, isFinal, fee }) => ({
    ...feeColumnsOf(fee),
    id: transaction.id,
    version: transaction.version,
    known_block: transaction.blockHash,
    tx_hash: txHash,
    block_number: blockNumber,
    block_hash: blockHash,
    is_final: isFinal,
    gasUsed: fee?.gasUsed ?? null,
  }));
  const placed = db.sql.execute(sql`
    update ${orders} t set tx_hash = v.tx_hash, block_number = v.block_number, block_hash = v.block_hash,
      is_final = v.is_final, spent_wei = case when t.bundle_id is null then coalesce(v."totalFeeNative" * 1e18, t.spent_wei) end,
      gas_used = coalesce(v."gasUsed", t.gas_used), total_fee_native = coalesce(v."totalFeeNative", t.total_fee_native),
      native_price_usd = case when v."gasUsed" is null then t.native_price_usd else v."nativePriceUsd" end,
      total_fee_usd = case when v."gasUsed" is null then t.total_fee_usd else v."totalFeeUsd" end,
      native_price_krw = case when v."gasUsed" is null then t.native_price_krw else v."nativePriceKrw" end,
      total_fee_krw = case when v."gasUsed" is null then t.total_fee_krw else v."totalFeeKrw" end,
      updated_at = case when t.block_hash = v.block_hash then t.updated_at else ${now.toISOString()}::timestamptz end
    from ${valuesTable('v', shape, values)}
    where t.id = v.id and t.version = v.version and t.block_hash = v.known_block and t.state = 'confirmed' and not t.is_final`);
  await runBatch(db, { placed });
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
    locked: lockLinked(db, jobs),
    reopened: db.sql.execute<{ id: string }>(sql`
      update ${orders} t set state = case when t.nonce is null then 'waiting' else 'signed' end,
        version = t.version + 1, not_before_block = greatest(t.not_before_block, t.block_number + ${finality}::int - 1),
        tx_hash = null, block_number = null, block_hash = null, batch_id = ${batchId}, gas_used = null,
        total_fee_native = null, native_price_usd = null, total_fee_usd = null, native_price_krw = null,
        total_fee_krw = null, error_message = null, completed_at = null, next_try_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
      from ${valuesTable('v', { id: 'text', version: 'integer', block_hash: 'text' }, values)}
      where t.id = v.id and t.version = v.version and t.block_hash = v.block_hash and t.state = 'confirmed' and not t.is_final
      returning t.id`),
    linked: Array.from(byKind, ([kind, own]) =>
      kind.reopened(
        db,
        batchId,
        own.map(({ claim }) => claim),
      ),
    ),
  });
  return new Set(reopened.rows.map(({ id }) => id));
}

/** Maps transaction hashes to the ids of the transactions whose attempts they are. */
export async function findAttemptOwners(db: SystemDb, hashes: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await db.sql
    .select({ hash: attempts.hash, id: attempts.transactionId })
    .from(attempts)
    .where(sql`${attempts.hash} in (select jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb))`);
  return new Map(rows.map(({ hash, id }) => [hash, id]));
}

/**
 * Whether a transaction of a lane with a higher nonce is final, so that all lower ones are used, whatever a node counts.
 */
export async function isNoncePast(db: SystemDb, lane: WalletLane, nonce: number): Promise<boolean> {
  const rows = await db.sql
    .select({ id: orders.id })
    .from(orders)
    .where(and(isOfLane(lane), gt(orders.nonce, nonce), isNull(orders.bundleId), orders.isFinal))
    .limit(1);
  return rows.length > 0;
}

/** The transaction of a lane that holds a nonce, even an ended one, with its newest bytes for that nonce. */
export async function ownerOfNonce(db: SystemDb, lane: WalletLane, nonce: number) {
  const rows = await db.sql
    .select({
      id: orders.id,
      kind: orders.kind,
      state: orders.state,
      blockNumber: orders.blockNumber,
      raw: attempts.raw,
      number: attempts.number,
    })
    .from(orders)
    .innerJoin(attempts, and(eq(attempts.transactionId, orders.id), eq(attempts.nonce, orders.nonce)))
    .where(and(isOfLane(lane), eq(orders.nonce, nonce), isNull(orders.bundleId)))
    .orderBy(attempts.number);
  return rows.at(-1);
}
