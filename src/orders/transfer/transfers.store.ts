import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
import type { OrderProgress } from '../../core/result-fields.ts';
import { acceptTransactions } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { isTransactionOf, progressOf } from '../../engine/transactions.store.ts';
import type { Condition, Rows, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { forwardRequests, transactions, transferOrders } from '../../platform/database/schema.ts';
import { insertForwardRequest, relayColumns } from '../../relay/forward-requests.store.ts';
import type { NewForwardRequest, Relayed, StoredRequest } from '../../relay/forward-requests.store.ts';

export type TransferOrder = typeof transferOrders.$inferSelect & { readonly progress?: OrderProgress | null };

const orderColumns = {
  ...getTableColumns(transferOrders),
  progress: progressOf(transferOrders, 'transfer', 'revocation'),
};
export type NewTransferOrder = Omit<typeof transferOrders.$inferInsert, 'corporateAccountId'>;

/** An order with the request that its signer signed. */
export interface RelayedOrder extends TransferOrder, Relayed {
  readonly chainId: string;
  readonly contractAddress: Address;
  readonly createdAt: Date;
}

/** One that moves a token. */
export type RelayedTransfer = RelayedOrder & TokenTransfer;

/** The account's newest order with this signature. */
export async function findSignedTransfer(
  db: TenantDb,
  signature: Hex,
): Promise<{ readonly order: TransferOrder; readonly request: StoredRequest } | undefined> {
  const [row] = await db.sql
    .select({ order: orderColumns, request: forwardRequests })
    .from(forwardRequests)
    .innerJoin(transferOrders, eq(transferOrders.id, forwardRequests.orderId))
    .where(and(eq(forwardRequests.signature, signature), eq(transferOrders.corporateAccountId, db.accountId)))
    .orderBy(desc(transferOrders.id))
    .limit(1);
  return row;
}

/** The constraint that an insert violates if an earlier attempt with the same Idempotency-Key stored the order. */
export const ID_TAKEN = 'transfer_orders_pkey';

/**
 * Stores an order with its transaction and reserves the signer's nonce for it, in one SQL transaction.
 * @param walletAddress The account's wallet.
 * @throws {LimitExceeded}; a violation of {@link ID_TAKEN}, or of {@link NONCE_TAKEN} if another order uses the nonce.
 */
export async function insertTransfer(
  db: TenantDb,
  kind: AcceptedKind,
  walletAddress: Address,
  order: NewTransferOrder & { readonly createdAt: Date },
  request: NewForwardRequest,
): Promise<TransferOrder> {
  const { id: orderId, chainId, createdAt } = order;
  const notBeforeBlock = request.readAtBlock;
  const [[row]] = await runChange(
    db,
    [
      db.sql
        .insert(transferOrders)
        .values({ ...order, corporateAccountId: db.accountId })
        .returning(),
      insertForwardRequest(db, kind.name, orderId, request),
      ...acceptTransactions(db, kind, [{ order, orderId, chainId, walletAddress, notBeforeBlock }], createdAt),
    ],
    sql`select ${orderId} as id`,
  );
  if (row === undefined) throw new Error('The insert of a transfer order returned no row');
  return row;
}

/** The statement that loads the orders of transactions for the engine. */
export function loadRelayed(
  db: SystemDb,
  kind: string,
  condition: Condition,
): Rows<{ readonly orderId: string; readonly order: RelayedOrder }> {
  return db.sql
    .select({ orderId: transferOrders.id, order: { ...getTableColumns(transferOrders), ...relayColumns } })
    .from(transactions)
    .innerJoin(transferOrders, isTransactionOf(kind, transferOrders.id))
    .innerJoin(forwardRequests, eq(forwardRequests.orderId, transferOrders.id))
    .where(condition);
}

/** The same for orders that move a token. */
export function loadTransfers(
  ...query: Parameters<typeof loadRelayed>
): Rows<{ readonly orderId: string; readonly order: RelayedTransfer }> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- acceptance stores the token of each order of that kind
  return loadRelayed(...query) as Rows<{ orderId: string; order: RelayedTransfer }>;
}
