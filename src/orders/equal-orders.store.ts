import { and, eq, isNull, ne, sql } from 'drizzle-orm';
import { isAddress } from 'viem';
import { DomainError } from '../core/domain-error.ts';
import type { Column, TenantDb } from '../platform/database/client.ts';
import { abortDetail, abortTransaction, isAborted } from '../platform/database/errors.ts';
import {
  contracts,
  underWay,
  type certificateRevocations,
  type chainNotifications,
  type ownershipTransfers,
} from '../platform/database/schema.ts';
import { columnsOf } from '../platform/database/values.ts';

/** The views of orders of which no equal ones may be under way. */
export type SingularOrders = typeof certificateRevocations | typeof chainNotifications | typeof ownershipTransfers;

/** What equal orders of a contract have in common, by the names of the columns; addresses in any case. */
export type Sameness = Readonly<Record<string, string | number | null>>;

/**
 * The first statements of a batch that stores an order of which no equal one may be under way. They lock the contract's
 * row, so that of equal orders at the same time the second sees the first, and abort with `order_under_way` if another
 * one of these orders has not ended.
 */
export function refuseEqual(
  db: TenantDb,
  table: SingularOrders,
  order: Pick<SingularOrders['$inferSelect'], 'id' | 'contractId' | 'contractAddress'>,
  same: Sameness,
) {
  const columns: Readonly<Record<string, Column>> = columnsOf(table);
  const isSame = Object.entries(same).map(([name, value]) => {
    const column = columns[name];
    if (column === undefined) throw new Error(`These orders have no column ${name}`);
    if (value === null) return isNull(column);
    return isAddress(String(value)) ? sql`lower(${column}) = ${String(value).toLowerCase()}` : eq(column, value);
  });
  const equal = db.sql
    .select({ id: table.id })
    .from(table)
    .where(
      and(
        eq(table.contractAddress, order.contractAddress),
        ne(table.id, order.id),
        eq(table.corporateAccountId, db.accountId),
        sql`${table.status} in ${underWay}`,
        ...isSame,
      ),
    )
    .limit(1);
  return {
    lock: db.sql
      .select({ id: contracts.id })
      .from(contracts)
      .where(eq(contracts.id, order.contractId))
      .for('no key update'),
    refuse: db.sql.execute(sql`select ${abortTransaction('order_under_way', sql`equal.id`)} from (${equal}) as equal`),
  };
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
