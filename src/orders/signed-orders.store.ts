import { and, desc, eq, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { acceptOrders, type AcceptedKind, type AcceptingDb } from '../limits/limits.store.ts';
import type { OrderReading } from '../engine/order-kind.ts';
import type { OrderForm } from '../engine/order-row.store.ts';
import { joinedReading, replyColumns } from '../engine/transactions.store.ts';
import type { TenantDb } from '../platform/database/client.ts';
import { runChange } from '../platform/database/record-change.ts';
import { forwardRequests, orders } from '../platform/database/schema.ts';
import {
  insertForwardRequest,
  relayColumns,
  type NewForwardRequest,
  type Relayed,
} from '../relay/forward-requests.store.ts';
import { ofForm, type ReadKinds } from './orders.store.ts';
import type { StoredOrders } from './stored-orders.ts';

/** The statement that reads the account's newest order with this signature. @param kinds Those that it may be of. */
export function selectSigned(db: TenantDb, form: OrderForm<unknown>, kinds: ReadKinds, signature: Hex) {
  return db.sql
    .select({ order: replyColumns(kinds), request: forwardRequests })
    .from(forwardRequests)
    .innerJoin(orders, eq(orders.id, forwardRequests.orderId))
    .where(and(eq(forwardRequests.signature, signature), ofForm(db, form)))
    .orderBy(desc(orders.id))
    .limit(1);
}

/**
 * Stores an order with its transaction and reserves the signer's nonce for it, in one SQL transaction.
 * @param walletAddress The wallet that pays.
 * @throws {LimitExceeded}; a violation of {@link ID_TAKEN} if an earlier attempt with the same Idempotency-Key stored
 *   the order, or of {@link NONCE_TAKEN} if another order uses the nonce; `nonce_used` if one has used it.
 */
export async function insertSigned<
  Order,
  New extends { readonly id: string; readonly chainId: string; readonly createdAt: Date },
>(
  db: AcceptingDb,
  stored: StoredOrders<Order, New>,
  kind: AcceptedKind,
  walletAddress: Address,
  order: New,
  request: NewForwardRequest,
): Promise<Order> {
  const { id: orderId, chainId, createdAt } = order;
  const accepted = { order, orderId, chainId, walletAddress, notBeforeBlock: request.readAtBlock };
  const acceptance = acceptOrders(db, kind, [accepted], createdAt);
  await runChange(
    db,
    {
      limits: acceptance.limits,
      stored: acceptance.stored,
      signed: insertForwardRequest(db, kind.name, orderId, request),
      check: acceptance.accepted,
    },
    sql`select ${orderId} as id`,
  );
  return stored.fresh(order, kind.name, db.accountId);
}

/** Reads orders and their signed requests for the engine. */
export function signedReading<Order extends Pick<Relayed, 'chainId' | 'createdAt'>>(
  form: OrderForm<Order>,
): OrderReading<Order & Relayed> {
  const signed = sql`${forwardRequests} where ${eq(forwardRequests.orderId, orders.orderId)}`;
  return joinedReading(form, relayColumns, signed);
}
