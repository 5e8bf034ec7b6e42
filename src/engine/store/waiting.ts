import { and, eq, inArray, sql } from 'drizzle-orm';
import type { SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values-table.ts';
import { transactions } from '../../platform/database/schema.ts';
import type { HoldReason } from '../../platform/database/schema.ts';
import type { Job, SignedJob } from '../job.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** Why a transaction gets no first signature now, and when to try again. */
export interface Hold {
  readonly job: Job;
  readonly reason: HoldReason;
  readonly detail: string;
  readonly nextTryAt: Date;
}

/** Puts waiting transactions off. The clock of a hold goes on while its reason is the same. */
export async function holdTransactions(db: SystemDb, holds: readonly Hold[], now: Date): Promise<void> {
  if (holds.length === 0) return;
  const shape = { id: 'text', version: 'integer', reason: 'text', detail: 'text', next: 'timestamptz' } as const;
  const values = holds.map(({ job, reason, detail, nextTryAt }) => ({
    id: job.transaction.id,
    version: job.transaction.version,
    reason,
    detail,
    next: nextTryAt.toISOString(),
  }));
  await db.sql.execute(sql`
    update ${transactions} t set next_try_at = v.next, hold_reason = v.reason, hold_detail = v.detail,
      held_since = case when t.hold_reason = v.reason then t.held_since else ${now.toISOString()}::timestamptz end
    from ${valuesTable('v', shape, values)}
    where t.id = v.id and t.version = v.version and t.state = 'waiting'`);
}

/** Puts everything off that waits in a lane and is due: what holds one holds all of them. */
export async function holdLane(
  db: SystemDb,
  { chainId, walletAddress }: WalletLane,
  hold: Omit<Hold, 'job'>,
  now: Date,
): Promise<void> {
  const at = now.toISOString();
  await db.sql
    .update(transactions)
    .set({
      nextTryAt: hold.nextTryAt,
      holdReason: hold.reason,
      holdDetail: hold.detail,
      heldSince: sql`case when ${transactions.holdReason} = ${hold.reason} then ${transactions.heldSince} else ${at}::timestamptz end`,
    })
    .where(
      and(
        eq(transactions.chainId, chainId),
        eq(transactions.walletAddress, walletAddress),
        eq(transactions.state, 'waiting'),
        sql`${transactions.nextTryAt} <= ${at}::timestamptz`,
        sql`${transactions.cancelRequestedAt} is null`,
      ),
    );
}

/** Gives claimed transactions back, due at once: nothing was done with them. */
export async function giveBack(db: SystemDb, jobs: readonly Job[], now: Date): Promise<void> {
  if (jobs.length === 0) return;
  await db.sql
    .update(transactions)
    .set({ nextTryAt: now })
    .where(
      and(
        inArray(
          transactions.id,
          jobs.map(({ transaction }) => transaction.id),
        ),
        eq(transactions.state, 'waiting'),
      ),
    );
}

/**
 * Takes a nonce from a transaction that is proven to have lost it: a final transaction of the wallet has it, and is none of the attempts
 * that `job` has. It waits again, and keeps its attempts. One that another driver has changed meanwhile is left alone.
 */
export async function giveUpNonce(db: SystemDb, { transaction }: SignedJob, now: Date): Promise<void> {
  await db.sql
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
    );
}
