import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { OrderProgress } from '../../core/result-fields.ts';
import { acceptTransactions } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { isTransactionOf, progressOf } from '../../engine/transactions.store.ts';
import type { NewTransaction } from '../../engine/transactions.store.ts';
import type { Condition, Rows, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { chainNotifications, transactions } from '../../platform/database/schema.ts';
import { refuseEqual } from '../../engine/equal-orders.store.ts';

export type Notification = typeof chainNotifications.$inferSelect & { readonly progress?: OrderProgress | null };

const columns = { ...getTableColumns(chainNotifications), progress: progressOf(chainNotifications, 'notification') };

/**
 * Stores an order with its transaction; one whose id already exists is left unchanged.
 * @throws {LimitExceeded}; `order_under_way` if one for the same token is under way.
 */
export async function insertNotification(
  db: TenantDb,
  kind: AcceptedKind,
  values: Omit<typeof chainNotifications.$inferInsert, 'corporateAccountId'> & { readonly createdAt: Date },
  transaction: Pick<NewTransaction, 'walletAddress' | 'notBeforeBlock'>,
): Promise<Notification> {
  const { id: orderId, chainId, createdAt } = values;
  const stored = and(eq(chainNotifications.id, orderId), eq(chainNotifications.corporateAccountId, db.accountId));
  const [, , , , , [row]] = await runChange(
    db,
    [
      ...refuseEqual(db, chainNotifications, values, eq(chainNotifications.tokenId, values.tokenId)),
      db.sql
        .insert(chainNotifications)
        .values({ ...values, corporateAccountId: db.accountId })
        .onConflictDoNothing({ target: chainNotifications.id }),
      ...acceptTransactions(db, kind, [{ order: values, orderId, chainId, ...transaction }], createdAt),
      db.sql.select(columns).from(chainNotifications).where(stored),
    ],
    sql`select ${chainNotifications.id} from ${chainNotifications} where ${stored}`,
  );
  if (row === undefined) throw new Error('The insert of a chain notification returned no row');
  return row;
}

export async function findNotification(db: TenantDb, id: string): Promise<Notification | undefined> {
  const [row] = await db.sql
    .select(columns)
    .from(chainNotifications)
    .where(and(eq(chainNotifications.id, id), eq(chainNotifications.corporateAccountId, db.accountId)));
  return row;
}

/** The statement that loads the orders of transactions for the engine. */
export function loadNotifications(
  db: SystemDb,
  kind: string,
  condition: Condition,
): Rows<{ readonly orderId: string; readonly order: Notification }> {
  return db.sql
    .select({ orderId: chainNotifications.id, order: getTableColumns(chainNotifications) })
    .from(transactions)
    .innerJoin(chainNotifications, isTransactionOf(kind, chainNotifications.id))
    .where(condition);
}
