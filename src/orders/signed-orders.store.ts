import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { acceptOrders, type AcceptedKind } from '../engine/limits.store.ts';
import type { OrderReading } from '../engine/order-kind.ts';
import { orderReading } from '../engine/transactions.store.ts';
import type { Rows, TenantDb } from '../platform/database/client.ts';
import { runChange } from '../platform/database/record-change.ts';
import { newRow } from '../platform/database/values.ts';
import { forwardRequests } from '../platform/database/schema.ts';
import {
  insertForwardRequest,
  relayColumns,
  type NewForwardRequest,
  type Relayed,
} from '../relay/forward-requests.store.ts';
import type { SignedOrder } from '../relay/accept-holder-request.ts';
import { tableOf, type NewOrder, type OrderOf, type OrdersTable } from './orders.store.ts';

/**
 * The statement that reads the account's newest order with this signature.
 * @param kinds Those whose orders share the table.
 */
export function findSigned<Table extends OrdersTable>(
  db: TenantDb,
  table: Table,
  kinds: readonly AcceptedKind[],
  signature: Hex,
): Rows<SignedOrder<OrderOf<Table>>> {
  const orders: OrdersTable = table;
  const { selected } = tableOf(kinds);
  return db.sql
    .select({ order: selected, request: forwardRequests })
    .from(forwardRequests)
    .innerJoin(orders, eq(orders.id, forwardRequests.orderId))
    .where(and(eq(forwardRequests.signature, signature), eq(orders.corporateAccountId, db.accountId)))
    .orderBy(desc(orders.id))
    .limit(1);
}

/**
 * Stores an order with its transaction and reserves the signer's nonce for it, in one SQL transaction.
 * @param walletAddress The wallet that pays.
 * @throws {LimitExceeded}; a violation of the table's primary key if an earlier attempt with the same Idempotency-Key
 *   stored the order, or of {@link NONCE_TAKEN} if another order uses the nonce; `nonce_used` if one has used it.
 */
export async function insertSigned<Table extends OrdersTable>(
  db: TenantDb,
  table: Table,
  kind: AcceptedKind,
  walletAddress: Address,
  order: NewOrder<Table>,
  request: NewForwardRequest,
): Promise<Table['$inferSelect']> {
  const orders: OrdersTable = table;
  const { id: orderId, chainId, createdAt } = order;
  const notBeforeBlock = request.readAtBlock;
  const row = { ...order, corporateAccountId: db.accountId };
  const { stored, ...acceptance } = acceptOrders(
    db,
    kind,
    db.sql.insert(orders).values(row),
    [{ order, orderId, chainId, walletAddress, notBeforeBlock }],
    createdAt,
  );
  await runChange(
    db,
    { stored, signed: insertForwardRequest(db, kind.name, orderId, request), acceptance },
    sql`select ${orderId} as id`,
  );
  return newRow(orders, row);
}

/** How the engine reads orders, with what was signed. */
export function signedOrderRows<Table extends OrdersTable>(
  table: Table,
): OrderReading<Table['$inferSelect'] & Relayed> {
  const tables = sql`${table} join ${forwardRequests} on ${eq(forwardRequests.orderId, table.id)}`;
  const reading = orderReading(table.id, { ...getTableColumns(table), ...relayColumns }, tables);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the tables
  return reading as OrderReading<Table['$inferSelect'] & Relayed>;
}
