import { and, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import { UNFINISHED_STATES } from '../../core/order-status.ts';
import { runBatch, systemOf, type TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { transactions } from '../../platform/database/schema.ts';
import type { Job } from '../job.ts';
import type { AnyOrderKind } from '../order-kind.ts';
import { readJobs, selectJobs } from './jobs.ts';

/**
 * An order of the account; `job` is undefined for one that ended before the service stored the transactions of orders.
 */
export interface FoundOrder {
  readonly chainId: string;
  readonly job: Job | undefined;
}

/**
 * Stores the customer's request to cancel an order, unless it has ended or is on a chain that the caller may not see,
 * and makes it due; then reads the order. One round trip.
 * @param kinds The kinds that the order may be of; they share a table.
 * @param at When it was requested; null only reads.
 * @returns the order after that; undefined if the account has no such order.
 */
export async function requestCancel(
  db: TenantDb,
  kinds: readonly AnyOrderKind[],
  orderId: string,
  at: Date | null,
): Promise<FoundOrder | undefined> {
  const table = kinds[0]?.orders?.table;
  if (table === undefined) throw new Error('These kinds have no orders');
  const names = kinds.map(({ name }) => name);
  const condition = and(
    eq(transactions.orderId, orderId),
    inArray(transactions.kind, names),
    eq(transactions.corporateAccountId, db.accountId),
  );
  if (condition === undefined) throw new Error('The reading has no condition');
  const read = {
    orders: db.sql
      .select({ chainId: sql<string>`${table.chainId}` })
      .from(table)
      .where(and(eq(table.id, orderId), eq(table.corporateAccountId, db.accountId))),
    jobs: selectJobs(systemOf(db), kinds, condition),
  };
  const { orders, jobs } =
    at === null
      ? await runBatch(db, read)
      : await runChange(
          db,
          { request: storeRequest(db, condition, at), ...read },
          sql`select ${transactions.orderId} as id from ${transactions}
            where ${condition} and ${transactions.cancelRequestedAt} = ${at.toISOString()}::timestamptz`,
        );
  const [stored] = orders;
  return stored && { chainId: stored.chainId, job: readJobs(kinds, jobs).jobs[0] };
}

/**
 * Raises the version, so that a driver that has not read the request cannot write: the events that it stores name the
 * request.
 */
function storeRequest(db: TenantDb, condition: SQL, at: Date) {
  return db.sql
    .update(transactions)
    .set({
      cancelRequestedAt: at,
      version: sql`${transactions.version} + 1`,
      nextTryAt: sql`least(${transactions.nextTryAt}, ${at.toISOString()}::timestamptz)`,
    })
    .where(
      and(
        condition,
        db.chainIds === undefined ? undefined : inArray(transactions.chainId, [...db.chainIds]),
        inArray(transactions.state, [...UNFINISHED_STATES]),
        isNull(transactions.cancelRequestedAt),
      ),
    );
}
