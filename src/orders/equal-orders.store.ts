import { getTableColumns, inArray, sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { z } from 'zod';
import { DomainError } from '../core/domain-error.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import type { OrderColumns } from '../engine/order-row.store.ts';
import { OrdersRefused } from '../limits/orders-refused.ts';
import type { TenantDb } from '../platform/database/client.ts';
import { abortDetail, abortTransaction } from '../platform/database/errors.ts';
import { contracts, ofResource, orders, underWay, type OrderResourceName } from '../platform/database/schema.ts';
import { valuesTable } from '../platform/database/values.ts';

/** What equal orders of a contract have in common, by the columns of the ledger; addresses in any case. */
export type Sameness = Readonly<Partial<Record<keyof OrderColumns, string | number | null>>>;

/** An order to store of which no equal one may be under way. */
export interface NewSingularOrder {
  readonly order: {
    readonly id: string;
    readonly chainId: string;
    readonly contractId: string;
    readonly contractAddress: LowerCaseAddress;
    readonly createdAt: Date;
  };
  /** What an equal order has in common with it: the same columns for each order of a batch. */
  readonly same: Sameness;
}

/**
 * The first statements of a batch that stores orders of which no equal ones may be under way. They lock the rows of the
 * contracts, so that of equal orders at the same time the second sees the first, and abort with `order_under_way` if
 * another one of these orders has not ended, or is equal to an earlier one of the batch.
 */
export function refuseEqual(db: TenantDb, resource: OrderResourceName, news: readonly NewSingularOrder[]) {
  const names = Object.entries(getTableColumns(orders)).filter(([key]) => key in (news[0]?.same ?? {}));
  const rows = news.map(({ order: { id, contractAddress }, same }, place) => ({
    ...Object.fromEntries(
      names.map(([key, { name }]) => [name, textOf(Object.entries(same).find(([one]) => one === key)?.[1] ?? null)]),
    ),
    order_id: id,
    place,
    contract: contractAddress,
  }));
  const shape = {
    ...Object.fromEntries(names.map(([, { name }]) => [name, 'text' as const])),
    order_id: 'text',
    place: 'integer',
    contract: 'text',
  } as const;
  const isSame = (value: (column: PgColumn) => SQL) =>
    sql.join(
      names.map(([, column]) => sql`${value(column)} is not distinct from v.${sql.identifier(column.name)}`),
      sql` and `,
    );
  const found = sql`
    with v as materialized (select * from ${valuesTable<keyof typeof shape>('v', shape, rows)})
    select jsonb_object_agg(v.order_id, coalesce(stored.id, earlier.order_id))::text as equal
    from v left join lateral (
      select ${orders.id} as id from ${orders}
      where ${orders.contractAddress} = v.contract and ${orders.id} <> v.order_id
        and ${orders.corporateAccountId} = ${db.accountId} and ${ofResource(resource)}
        and ${orders.status} in ${underWay} and ${isSame((column) => sql`lower(${column}::text)`)}
      limit 1
    ) stored on true left join lateral (
      select e.order_id from v e where e.contract = v.contract and e.place < v.place
        and ${isSame(({ name }) => sql`e.${sql.identifier(name)}`)}
      order by e.place limit 1
    ) earlier on true
    where stored.id is not null or earlier.order_id is not null`;
  return {
    lock: db.sql
      .select({ id: contracts.id })
      .from(contracts)
      .where(inArray(contracts.id, [...new Set(news.map(({ order }) => order.contractId))]))
      .orderBy(contracts.id)
      .for('no key update'),
    refuse: db.sql.execute(
      sql`select ${abortTransaction('order_under_way', sql`found.equal`)} from (${found}) found where found.equal is not null`,
    ),
  };
}

/** Addresses are the same in any case. */
function textOf(value: string | number | null): string | null {
  return value === null ? null : String(value).toLowerCase();
}

const equalReply = z.record(z.string(), z.string());

/**
 * Stores orders of which no equal ones may be under way.
 * @param does What such an order does, for the message.
 * @throws {OrdersRefused} with `conflict` for each of which one is; whatever `store` throws otherwise.
 */
export async function unlessUnderWay<Stored>(does: string, store: () => Promise<Stored>): Promise<Stored> {
  try {
    return await store();
  } catch (error) {
    const found = abortDetail(error, 'order_under_way');
    if (found === undefined) throw error;
    const equal = Object.entries(equalReply.parse(JSON.parse(found)));
    throw new OrdersRefused(
      new Map(equal.map(([id, other]) => [id, new DomainError('conflict', `Order ${other} ${does} and is under way`)])),
    );
  }
}
