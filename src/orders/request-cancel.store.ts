import { and, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import { UNFINISHED_STATES } from '../platform/database/vocabulary/order-status.ts';
import { runBatch, systemOf, type TenantDb } from '../platform/database/client.ts';
import { runChange } from '../platform/database/record-change.ts';
import { orders } from '../platform/database/schema.ts';
import type { Job } from '../engine/job.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import { readJobs, selectJobs } from '../engine/store/jobs.ts';

/** An order of the account; `job` is undefined for one that another deployment carried out, from an archive. */
export interface FoundOrder {
  readonly chainId: string;
  readonly job: Job | undefined;
}

/**
 * Stores the customer's request to cancel an order, unless it has ended or is on a chain that the caller may not see,
 * and makes it due; then reads the order. One round trip.
 * @param kinds The kinds that the order may be of.
 * @param at When it was requested; null only reads.
 * @returns the order after that; undefined if the account has no such order.
 */
export async function requestCancel(
  db: TenantDb,
  kinds: readonly AnyOrderKind[],
  orderId: string,
  at: Date | null,
): Promise<FoundOrder | undefined> {
  const names = kinds.map(({ name }) => name);
  const condition = and(
    eq(orders.orderId, orderId),
    inArray(orders.kind, names),
    eq(orders.corporateAccountId, db.accountId),
  );
  if (condition === undefined) throw new Error('The reading has no condition');
  const jobs = selectJobs(systemOf(db), kinds, condition);
  const read =
    at === null
      ? await runBatch(db, { jobs })
      : await runChange(
          db,
          { request: storeRequest(db, condition, at), jobs },
          sql`select ${orders.orderId} as id from ${orders}
            where ${condition} and ${orders.cancelRequestedAt} = ${at.toISOString()}::timestamptz`,
        );
  const found = readJobs(kinds, read.jobs);
  const [job] = found.jobs;
  const stored = job ?? found.unknown[0];
  return stored && { chainId: stored.transaction.chainId, job };
}

/**
 * Raises the version, so that a driver that has not read the request cannot write: the events that it stores name the
 * request.
 */
function storeRequest(db: TenantDb, condition: SQL, at: Date) {
  return db.sql
    .update(orders)
    .set({
      cancelRequestedAt: at,
      version: sql`${orders.version} + 1`,
      nextTryAt: sql`least(${orders.nextTryAt}, ${at.toISOString()}::timestamptz)`,
    })
    .where(
      and(
        condition,
        db.chainIds === undefined ? undefined : inArray(orders.chainId, [...db.chainIds]),
        inArray(orders.state, [...UNFINISHED_STATES]),
        isNull(orders.cancelRequestedAt),
      ),
    );
}
