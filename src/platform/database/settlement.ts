import { sql } from 'drizzle-orm';
import { transactions } from './schema.ts';

/** Restricts a statement to orders whose transaction was ended by this settlement. */
export function bySettlement(settlementId: string, orderId: unknown) {
  return sql`exists (select 1 from ${transactions} where ${transactions.settlementId} = ${settlementId} and ${transactions.orderId} = ${orderId})`;
}
