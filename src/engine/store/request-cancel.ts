import { and, eq, inArray, isNull, sql, type SQL } from 'drizzle-orm';
import { UNFINISHED_STATES } from '../../core/order-status.ts';
import { runBatch, systemOf, type Statement, type TenantDb } from '../../platform/database/client.ts';
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
  const read: Statement[] = [
    db.sql
      .select({ chainId: table.chainId })
      .from(table)
      .where(and(eq(table.id, orderId), eq(table.corporateAccountId, db.accountId))),
    ...selectJobs(systemOf(db), kinds, condition),
  ];
  const [orders, ...results] = at === null ? await runBatch(db, read) : await requestAndRead(db, condition, at, read);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a batch forgets the types of its statements
  const [stored] = orders as { chainId: string }[];
  return stored && { chainId: stored.chainId, job: readJobs(kinds, results).jobs[0] };
}

/** @returns the results of the reading statements, which run after the request is stored. */
async function requestAndRead(db: TenantDb, condition: SQL, at: Date, read: readonly Statement[]): Promise<unknown[]> {
  const requested = sql`select ${transactions.orderId} as id from ${transactions}
    where ${condition} and ${transactions.cancelRequestedAt} = ${at.toISOString()}::timestamptz`;
  const [, ...results] = await runChange(db, [storeRequest(db, condition, at), ...read], requested);
  return results;
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
