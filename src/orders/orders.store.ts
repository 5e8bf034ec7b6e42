import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import type { OrderStatus } from '../platform/database/vocabulary/order-status.ts';
import type { PageRange } from '../core/paging.ts';
import {
  acceptOrders,
  endpointsOfAccepted,
  type AcceptedKind,
  type AcceptedOrder,
  type AcceptingDb,
} from '../limits/limits.store.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import { orderOf, type OrderForm, type Progressing } from '../engine/order-row.store.ts';
import { replyColumns } from '../engine/transactions.store.ts';
import type { TenantDb } from '../platform/database/client.ts';
import { oneColumn } from '../platform/database/json-rows.ts';
import { ofAccount, ofVisibleChain, searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import { runChange } from '../platform/database/record-change.ts';
import { orders } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { refuseEqual, type NewSingularOrder } from './equal-orders.store.ts';
import type { StoredOrders } from './stored-orders.ts';

/** The kinds that orders of one resource may be of. */
export type ReadKinds = readonly Pick<AnyOrderKind, 'name' | 'dependency'>[];

/** An order's id, or the hash of the transaction that executed it, in lower case. */
export type OrderKey = { readonly id: string } | { readonly txHash: Hex };

/** The filters of a list; each has an index that ends in the id. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly contractAddress?: LowerCaseAddress | undefined;
  /** Lower case. */
  readonly txHash?: Hex | undefined;
  /** By the names of the orders' properties. */
  readonly parties: Readonly<Record<string, Address | undefined>>;
}

/** An order of the account; of several that a transaction carried out, the first. */
export async function findOrder<Order>(
  db: TenantDb,
  form: OrderForm<Order>,
  kinds: ReadKinds,
  key: OrderKey,
): Promise<Progressing<Order> | undefined> {
  const isOrder = 'id' in key ? eq(orders.id, key.id) : eq(orders.txHash, key.txHash);
  const [found] = await db.sql
    .select({ row: oneColumn(replyColumns(kinds)) })
    .from(orders)
    .where(and(isOrder, ofForm(db, form)))
    .orderBy(orders.id)
    .limit(1);
  return found && orderOf(form, found.row);
}

/** The account's orders with these ids. */
export async function ordersWith<Order>(
  db: TenantDb,
  form: OrderForm<Order>,
  kinds: ReadKinds,
  ids: readonly string[],
): Promise<Progressing<Order>[]> {
  const rows = await db.sql
    .select(replyColumns(kinds))
    .from(orders)
    .where(and(inArray(orders.id, [...ids]), ofForm(db, form)));
  return rows.map((row) => orderOf(form, row));
}

/** The account's orders that the API shows in one way. */
export function ofForm(db: TenantDb, { resource }: Pick<OrderForm<unknown>, 'resource'>) {
  return and(eq(orders.corporateAccountId, db.accountId), eq(orders.resource, resource));
}

/** A page of the account's orders, newest first. */
export async function listOrders<Order>(
  db: TenantDb,
  form: OrderForm<Order>,
  kinds: ReadKinds,
  { status, contractAddress, txHash, parties }: OrderFilter,
  page: PageRange,
): Promise<SearchedRows<Progressing<Order>>> {
  const partyColumn = (name: string) => {
    const column = form.names[name];
    if (column === undefined) throw new Error(`These orders have no ${name}`);
    return orders[column];
  };
  const records = and(
    ofAccount(orders, db, page),
    eq(orders.resource, form.resource),
    status === undefined ? undefined : eq(orders.status, status),
    contractAddress === undefined ? undefined : eq(orders.contractAddress, contractAddress),
    txHash === undefined ? undefined : eq(orders.txHash, txHash),
    ...Object.entries(parties).map(([name, party]) =>
      party === undefined ? undefined : sql`lower(${partyColumn(name)}) = ${party.toLowerCase()}`,
    ),
  );
  const filter = ofVisibleChain(orders, db);
  const { rows, searchedTo } = await searchPage(db, orders, { records, filter }, page, (newest) =>
    tagged(
      'list-orders',
      db.sql.select(replyColumns(kinds)).from(newest).where(filter).orderBy(desc(orders.id)).limit(page.take),
    ),
  );
  return { rows: rows.map((row) => orderOf(form, row)), searchedTo };
}

/** Who carries out an order to store, and from when. */
export type Carrier = Pick<AcceptedOrder, 'walletAddress' | 'notBeforeBlock' | 'approval'>;

/**
 * Stores orders of which no equal ones may be under way, with their transactions; one whose id already exists is left
 * unchanged.
 * @throws {LimitExceeded}; `order_under_way` if an equal one is. None is stored then.
 */
export async function insertOrders<Order, New extends NewSingularOrder['order']>(
  db: AcceptingDb,
  stored: StoredOrders<Order, New>,
  kind: AcceptedKind,
  news: readonly (NewSingularOrder & { readonly order: New; readonly transaction: Carrier })[],
  now: Date,
): Promise<{ readonly orders: readonly Progressing<Order>[]; readonly endpointIds: readonly string[] }> {
  if (news.length === 0) return { orders: [], endpointIds: [] };
  const isStored = and(
    inArray(
      orders.id,
      news.map(({ order }) => order.id),
    ),
    ofForm(db, stored),
  );
  const accepted = news.map(({ order, transaction }) => {
    const { id: orderId, chainId, createdAt } = order;
    return { order, orderId, chainId, createdAt, ...transaction };
  });
  const { acceptance, rows } = await runChange(
    db,
    {
      equal: refuseEqual(db, stored.resource, news),
      acceptance: acceptOrders(db, kind, accepted, now, { onConflict: sql`on conflict (id) do nothing` }),
      rows: db.sql
        .select(replyColumns([kind]))
        .from(orders)
        .where(isStored),
    },
    sql`select ${orders.id} from ${orders} where ${isStored}`,
  );
  if (rows.length < news.length) throw new Error(`The insert of orders of the kind ${kind.name} returned too few rows`);
  return { orders: rows.map((row) => orderOf(stored, row)), endpointIds: endpointsOfAccepted(acceptance) };
}

/** {@link insertOrders} for one, made now. @param same What an equal order has in common with it. */
export async function insertOrder<Order, New extends NewSingularOrder['order']>(
  db: AcceptingDb,
  stored: StoredOrders<Order, New>,
  kind: AcceptedKind,
  order: New,
  transaction: Carrier,
  same: NewSingularOrder['same'],
): Promise<{ readonly order: Progressing<Order>; readonly endpointIds: readonly string[] }> {
  const news = [{ order, transaction, same }];
  const {
    orders: [first],
    endpointIds,
  } = await insertOrders(db, stored, kind, news, order.createdAt);
  if (first === undefined) throw new Error(`The insert of an order of the kind ${kind.name} returned no row`);
  return { order: first, endpointIds };
}
