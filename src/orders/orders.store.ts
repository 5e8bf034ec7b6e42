import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { OrderStatus } from '../core/order-status.ts';
import type { PageRange } from '../core/paging.ts';
import type { OrderProgress } from '../core/reply-fields.ts';
import { acceptOrders, endpointsOfAccepted, type AcceptedKind, type AcceptedOrder } from '../engine/limits.store.ts';
import type { AnyOrderKind, OrderKind, OrderReading, OrderTable } from '../engine/order-kind.ts';
import { orderReading, progressOf } from '../engine/transactions.store.ts';
import type { Column, TenantDb } from '../platform/database/client.ts';
import { ofAccount, ofVisibleChain, searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import { runChange } from '../platform/database/record-change.ts';
import { tagged } from '../platform/database/tagged.ts';
import { columnsOf } from '../platform/database/values.ts';
import { refuseEqual, type Sameness, type SingularOrder, type SingularOrders } from './equal-orders.store.ts';

/** A view of the ledger: the orders that the API shows in one way. */
export type OrderView = OrderTable['table'];

/** An order to insert, as a row of the view will say. */
export type NewOrder<Of extends OrderView> = Partial<Of['$inferSelect']> & {
  readonly id: string;
  readonly chainId: string;
  readonly createdAt: Date;
};

/** A kind, for reading its orders: `Order` is a row of its view or table. */
export type StoredKind<Order> = Pick<OrderKind<Order, never, never>, 'name' | 'orders' | 'dependency' | 'reading'>;

/**
 * A row, with how its order stands: null if it ended in another deployment, whose archive was imported, absent if it
 * was accepted just now or is not shown.
 */
export type OrderOf<Of extends OrderView> = Of['$inferSelect'] & { readonly progress?: OrderProgress | null };

/** An order's id, or the hash of the transaction that executed it, in lower case. */
export type OrderKey = { readonly id: string } | { readonly txHash: Hex };

/** The filters of a list; each has an index that ends in the id. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  /** Lower case. */
  readonly contractAddress?: Address | undefined;
  /** Lower case. */
  readonly txHash?: Hex | undefined;
  /** By the name of the column. */
  readonly parties: Readonly<Record<string, Address | undefined>>;
}

/** @param kinds Those whose orders share a table. */
export function tableOf(kinds: readonly Pick<AnyOrderKind, 'name' | 'orders' | 'dependency'>[]) {
  const orders = kinds[0]?.orders ?? null;
  if (orders === null) throw new Error('These kinds have no orders');
  const { table } = orders;
  const columns: Readonly<Record<string, Column>> = columnsOf(table);
  const progress = progressOf(table, kinds);
  return { table, columns, selected: { ...columns, progress } };
}

/**
 * An order of the account; of several that a transaction carried out, the first.
 * @param kinds Those whose orders share the table.
 */
export async function findOrder<Order>(
  db: TenantDb,
  kinds: readonly StoredKind<Order>[],
  key: OrderKey,
): Promise<Order | undefined> {
  const { table, selected } = tableOf(kinds);
  const isOrder = 'id' in key ? eq(table.id, key.id) : eq(table.txHash, key.txHash);
  const [row] = await db.sql
    .select(selected)
    .from(table)
    .where(and(isOrder, eq(table.corporateAccountId, db.accountId)))
    .orderBy(table.id)
    .limit(1);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the table
  return row as Order | undefined;
}

/** Those of the account's orders that have one of these ids. @param kinds As for {@link findOrder}. */
export async function ordersWith<Order>(
  db: TenantDb,
  kinds: readonly StoredKind<Order>[],
  ids: readonly string[],
): Promise<Order[]> {
  const { table, selected } = tableOf(kinds);
  const rows = await db.sql
    .select(selected)
    .from(table)
    .where(and(inArray(table.id, [...ids]), eq(table.corporateAccountId, db.accountId)));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the table
  return rows as Order[];
}

/** A page of the account's orders, newest first. @param kinds As for {@link findOrder}. */
export async function listOrders<Order>(
  db: TenantDb,
  kinds: readonly StoredKind<Order>[],
  { status, contractAddress, txHash, parties }: OrderFilter,
  page: PageRange,
): Promise<SearchedRows<Order>> {
  const { table, columns, selected } = tableOf(kinds);
  const column = (name: string): Column => {
    const found = columns[name];
    if (found === undefined) throw new Error(`These orders have no column ${name}`);
    return found;
  };
  const records = and(
    ofAccount(table, db, page),
    status === undefined ? undefined : eq(table.status, status),
    contractAddress === undefined ? undefined : eq(column('contractAddress'), contractAddress),
    txHash === undefined ? undefined : eq(table.txHash, txHash),
    ...Object.entries(parties).map(([name, party]) =>
      party === undefined ? undefined : sql`lower(${column(name)}) = ${party.toLowerCase()}`,
    ),
  );
  const filter = ofVisibleChain(table, db);
  const found = await searchPage(db, table, { records, filter }, page, (newest) =>
    tagged('list-orders', db.sql.select(selected).from(newest).where(filter).orderBy(desc(table.id)).limit(page.take)),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the table
  return found as SearchedRows<Order>;
}

/** An order to store of which no equal one may be under way. */
export interface NewSingularOrder<Of extends SingularOrders> extends SingularOrder {
  readonly order: NewOrder<Of> & SingularOrder['order'];
  readonly transaction: Pick<AcceptedOrder, 'walletAddress' | 'notBeforeBlock' | 'approval'>;
}

/**
 * Stores orders with their transactions; one whose id already exists is left unchanged.
 * @throws {LimitExceeded}; `order_under_way` if an equal one is. None is stored then.
 */
export async function insertOrders<Of extends SingularOrders>(
  db: TenantDb,
  view: Of,
  kind: AcceptedKind,
  news: readonly NewSingularOrder<Of>[],
  now: Date,
): Promise<{ readonly orders: readonly OrderOf<Of>[]; readonly endpointIds: readonly string[] }> {
  if (news.length === 0) return { orders: [], endpointIds: [] };
  const { selected } = tableOf([kind]);
  const orders: SingularOrders = view;
  const ids = news.map(({ order }) => order.id);
  const stored = and(inArray(orders.id, ids), eq(orders.corporateAccountId, db.accountId));
  const accepted = news.map(({ order, transaction }) => {
    const { id: orderId, chainId, createdAt } = order;
    return { order, orderId, chainId, createdAt, ...transaction };
  });
  const { acceptance, rows } = await runChange(
    db,
    {
      equal: refuseEqual(db, orders, news),
      acceptance: acceptOrders(db, kind, accepted, now, { onConflict: sql`on conflict (id) do nothing` }),
      rows: db.sql.select(selected).from(orders).where(stored),
    },
    sql`select ${orders.id} from ${orders} where ${stored}`,
  );
  if (rows.length < news.length) throw new Error(`The insert of orders of the kind ${kind.name} returned too few rows`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the view
  return { orders: rows as OrderOf<Of>[], endpointIds: endpointsOfAccepted(acceptance) };
}

/** {@link insertOrders} for one, made now. @param same What an equal order has in common with it. */
export async function insertOrder<Of extends SingularOrders>(
  db: TenantDb,
  view: Of,
  kind: AcceptedKind,
  order: NewSingularOrder<Of>['order'],
  transaction: NewSingularOrder<Of>['transaction'],
  same: Sameness,
): Promise<{ readonly order: OrderOf<Of>; readonly endpointIds: readonly string[] }> {
  const { orders, endpointIds } = await insertOrders(db, view, kind, [{ order, transaction, same }], order.createdAt);
  const [stored] = orders;
  if (stored === undefined) throw new Error(`The insert of an order of the kind ${kind.name} returned no row`);
  return { order: stored, endpointIds };
}

/** How the engine reads orders that have all in the ledger. */
export function orderRows<Of extends OrderView>(view: Of): OrderReading<Of['$inferSelect']> {
  return orderReading(view.id, columnsOf(view), sql`${view}`);
}
