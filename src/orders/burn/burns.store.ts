import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { OrderProgress } from '../../core/result-fields.ts';
import { acceptTransactions } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { isTransactionOf, progressOf } from '../../engine/transactions.store.ts';
import type { Condition, Rows, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { burnOrders, forwardRequests, transactions } from '../../platform/database/schema.ts';
import { insertForwardRequest, relayColumns } from '../../relay/forward-requests.store.ts';
import type { NewForwardRequest, Relayed, StoredRequest } from '../../relay/forward-requests.store.ts';

export type BurnOrder = typeof burnOrders.$inferSelect & { readonly progress?: OrderProgress | null };

/** An order with the request that its holder signed. */
export interface RelayedBurn extends BurnOrder, Relayed {
  readonly chainId: string;
  readonly contractAddress: Address;
  readonly createdAt: Date;
}

const orderColumns = { ...getTableColumns(burnOrders), progress: progressOf(burnOrders, 'burn') };

/** The constraint that an insert violates if an earlier attempt with the same Idempotency-Key stored the order. */
export const ID_TAKEN = 'burn_orders_pkey';

/** The account's newest order with this signature. */
export async function findSignedBurn(
  db: TenantDb,
  signature: Hex,
): Promise<{ readonly order: BurnOrder; readonly request: StoredRequest } | undefined> {
  const [row] = await db.sql
    .select({ order: orderColumns, request: forwardRequests })
    .from(forwardRequests)
    .innerJoin(burnOrders, eq(burnOrders.id, forwardRequests.orderId))
    .where(and(eq(forwardRequests.signature, signature), eq(burnOrders.corporateAccountId, db.accountId)))
    .orderBy(desc(burnOrders.id))
    .limit(1);
  return row;
}

/**
 * Stores an order with its transaction and reserves the signer's nonce for it, in one SQL transaction.
 * @param walletAddress The account's wallet.
 * @throws {LimitExceeded}; a violation of {@link ID_TAKEN}, or of {@link NONCE_TAKEN} if another order uses the nonce.
 */
export async function insertBurn(
  db: TenantDb,
  kind: AcceptedKind,
  walletAddress: Address,
  order: Omit<typeof burnOrders.$inferInsert, 'corporateAccountId'> & { readonly createdAt: Date },
  request: NewForwardRequest,
): Promise<BurnOrder> {
  const { id: orderId, chainId, createdAt } = order;
  const notBeforeBlock = request.readAtBlock;
  const [[row]] = await runChange(
    db,
    [
      db.sql
        .insert(burnOrders)
        .values({ ...order, corporateAccountId: db.accountId })
        .returning(),
      insertForwardRequest(db, kind.name, orderId, request),
      ...acceptTransactions(db, kind, [{ order, orderId, chainId, walletAddress, notBeforeBlock }], createdAt),
    ],
    sql`select ${orderId} as id`,
  );
  if (row === undefined) throw new Error('The insert of a burn returned no row');
  return row;
}

/** The statement that loads the orders of transactions for the engine. */
export function loadBurns(
  db: SystemDb,
  kind: string,
  condition: Condition,
): Rows<{ readonly orderId: string; readonly order: RelayedBurn }> {
  return db.sql
    .select({ orderId: burnOrders.id, order: { ...getTableColumns(burnOrders), ...relayColumns } })
    .from(transactions)
    .innerJoin(burnOrders, isTransactionOf(kind, burnOrders.id))
    .innerJoin(forwardRequests, eq(forwardRequests.orderId, burnOrders.id))
    .where(condition);
}
