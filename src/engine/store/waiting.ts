import { sql } from 'drizzle-orm';
import { runBatch, type SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values.ts';
import { orders, unfinishedStates } from '../../platform/database/schema.ts';
import type { HoldReason } from '../../platform/database/vocabulary/order-status.ts';
import type { Job } from '../job.ts';
import type { EngineServices } from '../lane-context.ts';
import type { ReachedLimit } from '../standing.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { BUNDLE } from './bundles.ts';
import { saveLane, type LaneSnapshot } from './lane-row.ts';

/** Why a transaction is not signed now, and when to try again. */
export interface Hold {
  readonly job: Pick<Job, 'transaction'>;
  readonly reason: HoldReason;
  readonly detail: string;
  readonly nextTryAt: Date;
  /** Of a hold by a limit. */
  readonly reached?: ReachedLimit;
}

/**
 * Holds waiting transactions. A hold's clock keeps running while its reason stays the same.
 * @returns who is told of holds that begin, and of limits that are reached.
 */
export async function holdTransactions(
  { db, admission, hooks }: Pick<EngineServices, 'db' | 'admission' | 'hooks'>,
  holds: readonly Hold[],
  now: Date,
): Promise<readonly string[]> {
  if (holds.length === 0) return [];
  const shape = { id: 'text', version: 'integer', reason: 'text', detail: 'text', next: 'timestamptz' } as const;
  const values = holds.map(({ job, reason, detail, nextTryAt }) => ({
    id: job.transaction.id,
    version: job.transaction.version,
    reason,
    detail,
    next: nextTryAt.toISOString(),
  }));
  const { ofLimits, held } = await runBatch(db, {
    // The limits are locked before transactions, as where attempts are stored.
    ofLimits: admission.held(db, holds, now),
    held: db.sql.execute(sql`
    with v as materialized (select * from ${valuesTable('v', shape, values)}),
    locked as (
      select id, hold_reason as reason_before from ${orders} where id in (select id from v) order by id for update
    ),
    held as (
      update ${orders} t set next_try_at = v.next, hold_reason = v.reason, hold_detail = v.detail,
        held_since = case when t.hold_reason = v.reason then t.held_since else ${now.toISOString()}::timestamptz end
      from v join locked using (id)
      where t.id = v.id and t.version = v.version and t.state = 'waiting'
      returning t.*, locked.reason_before
    ),
    ${hooks.held(now)} select endpoint_id from added`),
  });
  return [...ofLimits, held].flatMap((reply) => hooks.receiversOf(reply));
}

/**
 * Gives every unfinished transaction of a lane that cannot be driven a reason that its owner can read. None fails for
 * it, as if the operator had paused the chain. The reason goes when the transaction ends or is signed again.
 */
export async function holdUnfinished(
  db: SystemDb,
  { chainId, walletAddress }: WalletLane,
  detail: string,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  await db.sql.execute(sql`
    update ${orders} set hold_reason = 'paused', hold_detail = ${detail}, held_since = ${at}::timestamptz
    where id in (
      select id from ${orders}
      where chain_id = ${chainId} and wallet_address = ${walletAddress} and state in ${unfinishedStates}
        and hold_detail is distinct from ${detail}
      order by id for update)`);
}

/**
 * Makes claimed but unprocessed transactions due again: they have not been tried.
 * @param at Null: at once, in the order of their acceptance.
 * @param heldAgain The new start of a hold by the chain's answers, because the chain was silent until then; null: the
 *   start is unchanged.
 */
export async function releaseClaims(
  db: SystemDb,
  jobs: readonly Pick<Job, 'transaction'>[],
  at: Date | null,
  heldAgain: Date | null = null,
): Promise<void> {
  if (jobs.length === 0) return;
  const ids = jobs.map(({ transaction }) => ({ id: transaction.id }));
  await runBatch(db, {
    released: db.sql.execute(sql`
    with locked as (
      select t.id from ${orders} t join ${valuesTable('v', { id: 'text' }, ids)} on v.id = t.id
      where t.state = 'waiting' order by t.id for update of t
    )
    update ${orders} t set next_try_at = coalesce(${at?.toISOString() ?? null}::timestamptz, t.created_at),
      tries = greatest(0, t.tries - 1),
      held_since = case when t.hold_reason = 'not-now' then coalesce(${heldAgain?.toISOString() ?? null}::timestamptz, t.held_since)
        else t.held_since end
    from locked where t.id = locked.id`),
  });
}

/**
 * Lets signed transactions wait again that are proven not to have had their effect and never to have it with their
 * nonces: a final transaction of the wallet, none of their attempts, has used the nonce; or their bundle is final and
 * did without them, so that each goes alone from now on. They keep their attempts. A bundle has nothing left to carry
 * and ends. Those that another driver has changed in the meantime are left unchanged.
 * @param finalAt The lowest head at which that block is final. At a lower one nothing is decided about the orders: a
 *   node may have stayed on a branch on which an attempt was mined.
 * @param snapshot Its floor is above a nonce that another transaction has used, so that a lagging count cannot reassign
 *   it.
 * @returns whether any of them has changed.
 */
export async function releaseTransactions(
  db: SystemDb,
  lane: WalletLane,
  jobs: readonly Pick<Job, 'transaction'>[],
  finalAt: number,
  snapshot: LaneSnapshot,
  now: Date,
): Promise<boolean> {
  const at = now.toISOString();
  const shape = { id: 'text', version: 'integer', nonce: 'bigint' } as const;
  const values = jobs.map(({ transaction: { id, version, nonce } }) => ({ id, version, nonce }));
  const { released } = await runBatch(db, {
    released: db.sql.execute(sql`
    with locked as (
      select t.id, t.kind = ${BUNDLE} as is_bundle from ${orders} t join ${valuesTable('v', shape, values)}
        on t.id = v.id and t.version = v.version and t.nonce = v.nonce
      where t.state = 'signed' order by t.id for update of t
    )
    update ${orders} t set state = case when is_bundle then 'cancelled' else 'waiting' end, is_final = is_bundle, nonce = null,
      earlier_bundle_id = coalesce(bundle_id, earlier_bundle_id), bundle_id = null, bundle_place = null, bundle_size = null,
      not_before_block = greatest(t.not_before_block, ${finalAt}::bigint), refusal = null, spent_wei = null, spent_at = null,
      version = t.version + 1, next_try_at = ${at}::timestamptz, updated_at = ${at}::timestamptz
    from locked where t.id = locked.id returning t.id`),
    lane: saveLane(db, lane, snapshot, now),
  });
  return released.rows.length > 0;
}
