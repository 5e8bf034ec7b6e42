import { sql } from 'drizzle-orm';
import { oldTransactions } from './schema.ts';

/** Binds a statement of a settle to the orders whose transaction this very settle ended. */
export function bySettlement(settlementId: string, orderId: unknown) {
  return sql`exists (select 1 from ${oldTransactions} where ${oldTransactions.settlementId} = ${settlementId} and ${oldTransactions.orderId} = ${orderId})`;
}
