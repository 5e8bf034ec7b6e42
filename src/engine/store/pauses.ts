import { and, eq, isNull, sql, type SQL } from 'drizzle-orm';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { HoldReason } from '../../platform/database/vocabulary/order-status.ts';
import { runBatch, type Column, type SystemDb } from '../../platform/database/client.ts';
import { corporateAccounts, pausedChains, orders } from '../../platform/database/schema.ts';
import { literals } from '../../platform/database/values.ts';
import { LASTING_HOLDS, pauseDetail } from '../holds.ts';
import type { Hooks } from '../hooks.ts';
import type { Job } from '../job.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** What is paused: an account on all chains, or a chain for all accounts. */
export type Paused = { readonly accountId: string } | { readonly chainId: string };

/** When a paused order is tried again. Resuming makes it due, so this matters only if the pause ends in another way. */
const RETRY_SECONDS = 60;

const isLasting = sql`coalesce(hold_reason in ${literals(LASTING_HOLDS)}, false)`;

/** What pauses the orders of an account on a chain, for a statement that reads the account; null if nothing does. */
export function pausedOn(chainId: string | Column): SQL<Job['paused']> {
  return sql`case when ${corporateAccounts.pausedAt} is not null then 'account'
    when exists (select 1 from ${pausedChains} p where p.chain_id = ${chainId}) then 'chain' end`;
}

/**
 * Holds waiting orders; a lasting hold stays, and a driver adds the pause to its detail when it tries next. Call it
 * after the pause is committed: a driver that claims later reads the pause, and one that claimed before finds another
 * version when it stores what it has signed. So nothing is signed for the first time once this has returned.
 * @returns who is told of the holds that begin.
 */
export async function holdPaused(
  db: SystemDb,
  hooks: Pick<Hooks, 'held' | 'receiversOf'>,
  paused: Paused,
  now: Date,
): Promise<readonly string[]> {
  const at = now.toISOString();
  const detail = pauseDetail('accountId' in paused ? 'account' : 'chain');
  const { held } = await runBatch(db, {
    held: db.sql.execute(sql`
    with locked as (
      select id, hold_reason as reason_before, ${isLasting} as is_lasting from ${orders}
      where ${and(isPausable(paused), isNull(orders.cancelRequestedAt))} order by id for update
    ),
    held as (
      update ${orders} t set version = t.version + 1, updated_at = ${at}::timestamptz,
        hold_reason = case when is_lasting then t.hold_reason else 'paused' end,
        hold_detail = case when is_lasting then t.hold_detail else ${detail} end,
        held_since = case when is_lasting or t.hold_reason = 'paused' then t.held_since else ${at}::timestamptz end,
        next_try_at = case when is_lasting then t.next_try_at
          else ${at}::timestamptz + interval '1 second' * ${RETRY_SECONDS}::int end
      from locked where t.id = locked.id
      returning t.*, locked.reason_before
    ),
    ${hooks.held(now)} select endpoint_id from added`),
  });
  return hooks.receiversOf(held);
}

/**
 * Makes orders due that are held for a reason that no longer applies. Call it after that change is committed. Every
 * order that a pause can hold gets another version, so that a driver that claimed it before, and may be about to hold
 * it, must read it again. No pause begins to hold an order that is being cancelled: a newer version would only keep the
 * request from ending it. After a pause, a lasting hold begins anew: the pause does not count for its patience.
 * @returns the lanes with work. Their drivers hold again what the reason still applies to.
 */
export async function releaseHeld(db: SystemDb, paused: Paused, reason: HoldReason, now: Date): Promise<WalletLane[]> {
  const at = now.toISOString();
  const release = db.sql.execute<{ chainId: string; walletAddress: LowerCaseAddress }>(sql`
    with locked as (
      select id, coalesce(hold_reason = ${reason}, true) as is_over, ${reason}::text = 'paused' and ${isLasting} as is_new
      from ${orders} where ${isPausable(paused)} order by id for update
    ),
    changed as (
      update ${orders} t set version = case when t.cancel_requested_at is null then t.version + 1 else t.version end,
        hold_reason = case when locked.is_over then null else t.hold_reason end,
        hold_detail = case when locked.is_over then null else t.hold_detail end,
        held_since = case when locked.is_over then null when locked.is_new then ${at}::timestamptz else t.held_since end,
        tries = case when locked.is_over or locked.is_new then 0 else t.tries end,
        next_try_at = case when locked.is_over or locked.is_new then ${at}::timestamptz else t.next_try_at end,
        updated_at = ${at}::timestamptz
      from locked where t.id = locked.id
      returning t.chain_id, t.wallet_address
    )
    select distinct chain_id as "chainId", wallet_address as "walletAddress" from changed`);
  const { released } = await runBatch(db, { released: release });
  return released.rows;
}

/** Waiting orders, except those that no driver claims before their approval. */
function isPausable(paused: Paused) {
  return and(
    // A literal: with a parameter the planner cannot use the partial index.
    sql`${orders.state} = 'waiting'`,
    isNull(orders.approvalUntil),
    'accountId' in paused ? eq(orders.corporateAccountId, paused.accountId) : eq(orders.chainId, paused.chainId),
  );
}
