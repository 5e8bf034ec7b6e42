import { and, eq, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { timePart } from '../../core/ids.ts';
import { runBatch } from '../../platform/database/client.ts';
import type { SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values-table.ts';
import { transactions } from '../../platform/database/schema.ts';
import type { HoldReason } from '../../platform/database/schema.ts';
import { insertedDeliveries, noticeTables } from '../../webhooks/events.store.ts';
import type { Job, SignedJob } from '../job.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { FILLER } from './fillers.ts';
import { noteLane } from './lane-row.ts';
import type { LaneNote } from './lane-row.ts';

/** Why a transaction gets no first signature now, and when to try again. */
export interface Hold {
  readonly job: Job;
  readonly reason: HoldReason;
  readonly detail: string;
  readonly nextTryAt: Date;
}

/**
 * Puts waiting transactions off. The clock of a hold goes on while its reason is the same.
 * @returns the deliveries of the notices that a hold begins.
 */
export async function holdTransactions(db: SystemDb, holds: readonly Hold[], now: Date): Promise<string[]> {
  if (holds.length === 0) return [];
  const shape = { id: 'text', version: 'integer', reason: 'text', detail: 'text', next: 'timestamptz' } as const;
  const values = holds.map(({ job, reason, detail, nextTryAt }) => ({
    id: job.transaction.id,
    version: job.transaction.version,
    reason,
    detail,
    next: nextTryAt.toISOString(),
  }));
  const [reply] = await runBatch(db, [
    db.sql.execute(sql`
    with v as materialized (select * from ${valuesTable('v', shape, values)}),
    locked as (
      select id, hold_reason as reason_before from ${transactions} where id in (select id from v) order by id for update
    ),
    held as (
      update ${transactions} t set next_try_at = v.next, hold_reason = v.reason, hold_detail = v.detail,
        held_since = case when t.hold_reason = v.reason then t.held_since else ${now.toISOString()}::timestamptz end
      from v join locked using (id)
      where t.id = v.id and t.version = v.version and t.state = 'waiting'
      returning t.*, locked.reason_before
    ),
    ${noticeTables(heldNotices(now))} select id from added`),
  ]);
  return insertedDeliveries(reply);
}

/** The notices of those of `held` that were not held, or for another reason, before. */
function heldNotices(now: Date): SQL {
  const at = now.toISOString();
  const type = sql`'order.held'::text`;
  return sql`
    select ${timePart(now.getTime())}::text || substr(md5(h.id || ${at}::text), 1, 12) as id, h.corporate_account_id as account,
      ${type} as type, h.order_id, json_build_object('type', ${type}, 'timestamp', ${at}::text, 'data', json_build_object(
        'orderId', h.order_id, 'orderKind', h.kind, 'chainId', h.chain_id, 'walletAddress', h.wallet_address,
        'reason', h.hold_reason, 'detail', h.hold_detail))::text as payload, ${at}::timestamptz as at
    from held h where h.reason_before is distinct from h.hold_reason and h.kind <> ${FILLER}`;
}

/**
 * Puts everything off that waits in a lane and is due: what holds one holds all of them.
 * @returns the deliveries of the notices that a hold begins.
 */
export async function holdLane(
  db: SystemDb,
  { chainId, walletAddress }: WalletLane,
  hold: Omit<Hold, 'job'>,
  now: Date,
): Promise<string[]> {
  const at = now.toISOString();
  const [reply] = await runBatch(db, [
    db.sql.execute(sql`
    with locked as (
      select id, hold_reason as reason_before from ${transactions}
      where chain_id = ${chainId} and wallet_address = ${walletAddress} and state = 'waiting'
        and next_try_at <= ${at}::timestamptz and cancel_requested_at is null
      order by id for update
    ),
    held as (
      update ${transactions} t set next_try_at = ${hold.nextTryAt.toISOString()}::timestamptz, hold_reason = ${hold.reason},
        hold_detail = ${hold.detail},
        held_since = case when t.hold_reason = ${hold.reason} then t.held_since else ${at}::timestamptz end
      from locked where t.id = locked.id
      returning t.*, locked.reason_before
    ),
    ${noticeTables(heldNotices(now))} select id from added`),
  ]);
  return insertedDeliveries(reply);
}

/** Gives claimed transactions back, due at once: nothing was done with them. */
export async function giveBack(db: SystemDb, jobs: readonly Job[], now: Date): Promise<void> {
  if (jobs.length === 0) return;
  const ids = jobs.map(({ transaction }) => ({ id: transaction.id }));
  await runBatch(db, [
    db.sql.execute(sql`
    with locked as (
      select t.id from ${transactions} t join ${valuesTable('v', { id: 'text' }, ids)} on v.id = t.id
      where t.state = 'waiting' order by t.id for update of t
    )
    update ${transactions} t set next_try_at = ${now.toISOString()}::timestamptz
    from locked where t.id = locked.id`),
  ]);
}

/**
 * Takes a nonce from a transaction that is proven to have lost it: a final transaction of the wallet has it, and is none of the attempts
 * that `job` has. It waits again, and keeps its attempts. One that another driver has changed meanwhile is left alone.
 * @param note Has the floor above that nonce: no lagging count may hand it out again.
 */
export async function giveUpNonce(
  db: SystemDb,
  lane: WalletLane,
  { transaction }: SignedJob,
  note: LaneNote,
  now: Date,
): Promise<void> {
  await runBatch(db, [
    db.sql
      .update(transactions)
      .set({
        state: 'waiting',
        nonce: null,
        version: transaction.version + 1,
        nextTryAt: now,
        updatedAt: now,
      })
      .where(
        and(
          eq(transactions.id, transaction.id),
          eq(transactions.version, transaction.version),
          eq(transactions.state, 'signed'),
          eq(transactions.nonce, transaction.nonce),
        ),
      ),
    noteLane(db, lane, note, now),
  ]);
}
