import { sql } from 'drizzle-orm';
import type { Condition, Statement, SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values-table.ts';
import type { OrderEnd, OrderTable } from '../order-kind.ts';

/** What is written into an order; `completedAt` is null where it is under way again. */
export type OrderWrite = Omit<OrderEnd, 'completedAt'> & { readonly id: string; readonly completedAt: Date | null };

const shape = {
  id: 'text',
  status: 'text',
  txHash: 'text',
  gasUsed: 'text',
  totalFeeNative: 'numeric',
  nativePriceUsd: 'double precision',
  totalFeeUsd: 'double precision',
  nativePriceKrw: 'double precision',
  totalFeeKrw: 'double precision',
  errorMessage: 'text',
  completedAt: 'timestamptz',
  updatedAt: 'timestamptz',
} as const;

/**
 * The statement that writes how orders ended, or that they are under way again.
 * @param condition Which of the rows may be written: a condition on them, by the name `v`.
 */
export function writeOrders(
  db: SystemDb,
  { table, columns }: OrderTable,
  rows: readonly OrderWrite[],
  condition: Condition,
): Statement {
  return db.sql.execute(sql`
    update ${table} o set status = v.status, ${sql.identifier(columns.txHash.name)} = v."txHash",
      ${sql.identifier(columns.gasUsed.name)} = v."gasUsed", total_fee_native = v."totalFeeNative",
      native_price_usd = v."nativePriceUsd", total_fee_usd = v."totalFeeUsd", native_price_krw = v."nativePriceKrw",
      total_fee_krw = v."totalFeeKrw", error_message = v."errorMessage", completed_at = v."completedAt",
      updated_at = v."updatedAt"
    from ${valuesTable('v', shape, rows)}
    where o.id = v.id and ${condition}`);
}
