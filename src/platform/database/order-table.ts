import { and, eq, inArray, lte } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Statement, SystemDb } from './client.ts';
import type { mintingOrders, OrderStatus, ownershipTransfers, transferOrders } from './schema.ts';

/** The tables of orders that the engine carries out; an order goes the same way in each. */
export type OrderTable = typeof mintingOrders | typeof transferOrders | typeof ownershipTransfers;

/** A condition that narrows orders further. */
export type Narrowing = SQL;

/** Moves PENDING orders to PROCESSING. */
export function startOrders(
  db: SystemDb,
  table: OrderTable,
  ids: readonly string[],
  now: Date,
  also?: Narrowing,
): Statement {
  return moveOrders(db, table, ids, { from: 'PENDING', to: 'PROCESSING', now, also });
}

/** Moves orders whose transaction was broadcast from PROCESSING to SENT. */
export function markOrdersSent(db: SystemDb, table: OrderTable, ids: readonly string[], now: Date): Statement {
  return moveOrders(db, table, ids, { from: 'PROCESSING', to: 'SENT', now });
}

function moveOrders(
  db: SystemDb,
  table: OrderTable,
  ids: readonly string[],
  move: {
    readonly from: OrderStatus;
    readonly to: OrderStatus;
    readonly now: Date;
    readonly also?: Narrowing | undefined;
  },
): Statement {
  return db.sql
    .update(table)
    .set({ status: move.to, updatedAt: move.now })
    .where(and(inArray(table.id, [...ids]), eq(table.status, move.from), move.also));
}

/** Which orders are claimed and not finished. */
export function isUnderWay(table: OrderTable): SQL {
  return inArray(table.status, ['PROCESSING', 'SENT']);
}

/** Orders of these states that nothing has touched since `before`, longest first. */
export async function idleOrders(
  db: SystemDb,
  table: OrderTable,
  statuses: readonly OrderStatus[],
  before: Date,
  limit: number,
  also?: Narrowing,
): Promise<string[]> {
  const rows = await db.sql
    .select({ id: table.id })
    .from(table)
    .where(and(inArray(table.status, [...statuses]), lte(table.updatedAt, before), also))
    .orderBy(table.updatedAt)
    .limit(limit);
  return rows.map(({ id }) => id);
}
