import { eq, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { DomainError } from '../core/domain-error.ts';
import type { TenantDb } from '../platform/database/client.ts';
import { abortDetail, abortTransaction, isAborted } from '../platform/database/errors.ts';
import { contracts, underWay } from '../platform/database/schema.ts';
import type { certificateRevocations, chainNotifications, ownershipTransfers } from '../platform/database/schema.ts';

type OrderTable = typeof certificateRevocations | typeof chainNotifications | typeof ownershipTransfers;

/**
 * The first statements of a batch that stores an order of which no equal one may be under way. They lock the contract's row, so that of equal
 * orders at the same time the second sees the first.
 * @param isEqual A condition on the orders of the contract.
 * @returns statements of which the second aborts with `order_under_way` if another one of these orders has not ended.
 */
export function refuseEqual(
  db: TenantDb,
  table: OrderTable,
  order: Pick<OrderTable['$inferInsert'], 'id' | 'contractId' | 'contractAddress'>,
  isEqual: SQL | undefined,
) {
  const equal = sql`
    select id from ${table} where ${table.contractAddress} = ${order.contractAddress} and ${table.id} <> ${order.id}
      and ${table.corporateAccountId} = ${db.accountId} and ${table.status} in ${underWay} and ${isEqual} limit 1`;
  return [
    db.sql.select({ id: contracts.id }).from(contracts).where(eq(contracts.id, order.contractId)).for('no key update'),
    db.sql.execute(sql`select ${abortTransaction('order_under_way', sql`equal.id`)} from (${equal}) as equal`),
  ] as const;
}

/**
 * Stores an order of which no equal one may be under way.
 * @param does What such an order does, for the message.
 * @throws {DomainError} `conflict` if one is; whatever `store` throws otherwise.
 */
export async function unlessUnderWay<Stored>(does: string, store: () => Promise<Stored>): Promise<Stored> {
  try {
    return await store();
  } catch (error) {
    if (!isAborted(error, 'order_under_way')) throw error;
    throw new DomainError('conflict', `Order ${abortDetail(error, 'order_under_way')} ${does} and is under way`);
  }
}
