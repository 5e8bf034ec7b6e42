import { sql } from 'drizzle-orm';
import type { Condition, Statement, SystemDb } from '../../platform/database/client.ts';
import { valuesTable } from '../../platform/database/values-table.ts';
import type { OrderEnd, OrderTable } from '../order-kind.ts';

/** The columns written to an order; `completedAt` is null if it is reopened. */
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
 * The statement that writes how orders ended, or that they are reopened.
 * @param condition Which rows to write: a condition on them as `v`.
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
