import { and, desc, eq, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { acceptOrders, type AcceptedKind } from '../engine/limits.store.ts';
import type { OrderReading } from '../engine/order-kind.ts';
import { orderReading } from '../engine/transactions.store.ts';
import type { Rows, TenantDb } from '../platform/database/client.ts';
import { runChange } from '../platform/database/record-change.ts';
import { columnsOf, newRow } from '../platform/database/values.ts';
import { forwardRequests } from '../platform/database/schema.ts';
import {
  insertForwardRequest,
  relayColumns,
  type NewForwardRequest,
  type Relayed,
} from '../relay/forward-requests.store.ts';
import type { SignedOrder } from '../relay/accept-holder-request.ts';
import { tableOf, type NewOrder, type OrderOf, type OrderView } from './orders.store.ts';

/**
 * The statement that reads the account's newest order with this signature.
 * @param kinds Those whose orders share the table.
 */
export function findSigned<Of extends OrderView>(
  db: TenantDb,
  view: Of,
  kinds: readonly AcceptedKind[],
  signature: Hex,
): Rows<SignedOrder<OrderOf<Of>>> {
  const orders: OrderView = view;
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
 * @throws {LimitExceeded}; a violation of {@link ID_TAKEN} if an earlier attempt with the same Idempotency-Key stored
 *   the order, or of {@link NONCE_TAKEN} if another order uses the nonce; `nonce_used` if one has used it.
 */
export async function insertSigned<Of extends OrderView>(
  db: TenantDb,
  view: Of,
  kind: AcceptedKind,
  walletAddress: Address,
  order: NewOrder<Of>,
  request: NewForwardRequest,
): Promise<Of['$inferSelect']> {
  const { id: orderId, chainId, createdAt } = order;
  const accepted = { order, orderId, chainId, walletAddress, notBeforeBlock: request.readAtBlock };
  const { limits, stored, accepted: check } = acceptOrders(db, kind, [accepted], createdAt);
  await runChange(
    db,
    { limits, stored, signed: insertForwardRequest(db, kind.name, orderId, request), check },
    sql`select ${orderId} as id`,
  );
  return newRow(view, { ...order, corporateAccountId: db.accountId });
}

/** How the engine reads orders, with what was signed. */
export function signedOrderRows<Of extends OrderView>(view: Of): OrderReading<Of['$inferSelect'] & Relayed> {
  const tables = sql`${view} join ${forwardRequests} on ${eq(forwardRequests.orderId, view.id)}`;
  const reading = orderReading(view.id, { ...columnsOf(view), ...relayColumns }, tables);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the columns of the view and the table
  return reading as OrderReading<Of['$inferSelect'] & Relayed>;
}
