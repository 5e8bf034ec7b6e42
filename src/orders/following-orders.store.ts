import { sql } from 'drizzle-orm';
import type { Address } from 'viem';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import type { Rows, SystemDb } from '../platform/database/client.ts';
import { orders, undone } from '../platform/database/schema.ts';

/*
 * An order may follow another one of its wallet, with which it is accepted: its details name that as `follows`, and the
 * other's name it as `followedBy`.
 */

/** The dependency of such orders: they are not claimed unless what they follow is CONFIRMED, however else it ends. */
export const followingDependency: NonNullable<AnyOrderKind['dependency']> = {
  needsEffects: true,
  // A join: to look up one order by a condition on the row alone, the planner would read them all.
  predecessors: (transaction) => sql`
    select 'Order ' || followed.id || ', which it follows, is not CONFIRMED' as detail, ${transaction}.created_at as since
    from (select ${transaction}.details->>'follows' as id) mine join ${orders} followed on followed.id = mine.id
    where followed.state <> 'confirmed'`,
};

/**
 * The statement, for a batch that ends or reopens orders, that changes those which follow them. One that is not signed
 * is due, if what it follows is confirmed; if that is reopened, no driver that has claimed it before can sign it. If that
 * is FAILED or CANCELLED, its cancellation is requested, signed or not.
 * @param followers Their ids. @returns their lanes; undefined: there are none.
 */
export function updateFollowers(
  db: SystemDb,
  batchId: string,
  followers: readonly string[],
): Rows<{ readonly chainId: string; readonly walletAddress: Address }> | undefined {
  if (followers.length === 0) return undefined;
  return db.sql
    .update(orders)
    .set({
      notBeforeBlock: sql`greatest(${orders.notBeforeBlock}, followed.block_number)`,
      cancelRequestedAt: sql`coalesce(${orders.cancelRequestedAt}, case when followed.status in ${undone} then followed.updated_at end)`,
      nextTryAt: sql`least(${orders.nextTryAt}, followed.updated_at)`,
      version: sql`${orders.version} + 1`,
    })
    .from(sql`${orders} as followed`)
    .where(
      sql`${orders.id} in ${followers} and followed.id = ${orders.details}->>'follows' and followed.batch_id = ${batchId}
        and (${orders.state} = 'waiting' or ${orders.state} = 'signed' and followed.status in ${undone})`,
    )
    .returning({ chainId: orders.chainId, walletAddress: orders.walletAddress });
}
