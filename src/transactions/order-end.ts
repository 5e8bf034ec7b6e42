import { feeColumnTypes } from '../platform/database/values-table.ts';
import type { OrderStatus } from '../platform/database/schema.ts';
import { feeColumnsOf } from '../platform/rates/fee.ts';
import type { Outcome } from './operation.ts';

/** The columns that the end of any order writes, but for the gas, which each table names in its own way. */
export const orderEndColumns = {
  status: 'text',
  txHash: 'text',
  ...feeColumnTypes,
  errorMessage: 'text',
  completedAt: 'timestamptz',
  updatedAt: 'timestamptz',
} as const;

/** What the end of an order writes: CONFIRMED, or FAILED with the reason. */
export function orderEndOf(outcome: Outcome<unknown, unknown>) {
  const mined = outcome.result === 'dropped' ? undefined : outcome;
  const status: OrderStatus = outcome.result === 'succeeded' ? 'CONFIRMED' : 'FAILED';
  return {
    id: outcome.claim.orderId,
    status,
    txHash: mined?.txHash ?? null,
    gasUsed: mined?.fee.gasUsed ?? null,
    ...feeColumnsOf(mined?.fee),
    errorMessage: outcome.result === 'succeeded' ? null : outcome.reason,
    completedAt: outcome.at,
    updatedAt: outcome.at,
  };
}
