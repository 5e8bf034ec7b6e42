import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import type { OrderStatus } from '../../core/order-status.ts';
import type { OrderProgress } from '../../core/result-fields.ts';
import { acceptTransactions } from '../../engine/limits.store.ts';
import type { AcceptedKind } from '../../engine/limits.store.ts';
import { isTransactionOf, progressOf } from '../../engine/transactions.store.ts';
import type { Condition, Rows, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { ofAccount, ofVisibleChain, searchPage } from '../../platform/database/page-scope.ts';
import type { SearchedRows } from '../../platform/database/page-scope.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { forwardRequests, transactions, transferOrders } from '../../platform/database/schema.ts';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
import type { PageRange } from '../../core/paging.ts';
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

export async function findTransfer(db: TenantDb, id: string): Promise<TransferOrder | undefined> {
  const [row] = await db.sql
    .select(orderColumns)
    .from(transferOrders)
    .where(and(eq(transferOrders.id, id), eq(transferOrders.corporateAccountId, db.accountId)));
  return row;
}

/** The filters of a list of transfers. */
export interface TransferFilter {
  readonly status?: OrderStatus | undefined;
  /** Lower case. */
  readonly contractAddress?: Address | undefined;
  readonly from?: Address | undefined;
}

/** A page of the account's transfers, newest first; each filter has an index that ends in the id. */
export function listTransfers(
  db: TenantDb,
  { status, contractAddress, from }: TransferFilter,
  page: PageRange,
): Promise<SearchedRows<TransferOrder>> {
  const records = and(
    ofAccount(transferOrders, db, page),
    status === undefined ? undefined : eq(transferOrders.status, status),
    contractAddress === undefined ? undefined : eq(transferOrders.contractAddress, contractAddress),
    from === undefined ? undefined : sql`lower(${transferOrders.from}) = ${from.toLowerCase()}`,
  );
  const filter = ofVisibleChain(transferOrders, db);
  return searchPage(db, transferOrders, { records, filter }, page, (newest) =>
    db.sql.select(orderColumns).from(newest).where(filter).orderBy(desc(transferOrders.id)).limit(page.take),
  );
}

/** @param txHash Lower case. */
export async function findTransferByTx(db: TenantDb, txHash: Hex): Promise<TransferOrder | undefined> {
  const [row] = await db.sql
    .select(orderColumns)
    .from(transferOrders)
    .where(and(eq(transferOrders.txHash, txHash), eq(transferOrders.corporateAccountId, db.accountId)));
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
