import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Address, Hex } from 'viem';
import { accountColumns } from '../../accounts/accounts.store.ts';
import type { Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { inPage } from '../../platform/database/page-scope.ts';
import { isUnderWay, startOrders } from '../../platform/database/order-table.ts';
import { assignments, columnNames, recordset } from '../../platform/database/values-table.ts';
import { corporateAccounts, forwardRequests, transferOrders } from '../../platform/database/schema.ts';
import type { OrderStatus } from '../../platform/database/schema.ts';
import type { PageRange } from '../../core/paging.ts';
import type { Claim } from '../../transactions/operation.ts';
import { orderEndColumns } from '../../transactions/order-end.ts';
import { bySettlement } from '../../platform/database/settlement.ts';
import { insertForwardRequest } from '../../relay/forward-requests.store.ts';
import type { NewForwardRequest, StoredRequest } from '../../relay/forward-requests.store.ts';

export type TransferOrder = typeof transferOrders.$inferSelect;
export type NewTransferOrder = Omit<typeof transferOrders.$inferInsert, 'corporateAccountId'>;

/** An order with the request that its holder signed. */
export interface RelayedTransfer extends TransferOrder {
  readonly request: StoredRequest;
}

/** The account's newest transfer that was ordered with this very signature. */
export async function findSignedTransfer(db: TenantDb, signature: Hex): Promise<RelayedTransfer | undefined> {
  const [row] = await db.sql
    .select({ order: transferOrders, request: forwardRequests })
    .from(forwardRequests)
    .innerJoin(transferOrders, eq(transferOrders.id, forwardRequests.orderId))
    .where(and(eq(forwardRequests.signature, signature), eq(transferOrders.corporateAccountId, db.accountId)))
    .orderBy(desc(transferOrders.id))
    .limit(1);
  return row && { ...row.order, request: row.request };
}

/** The constraint that an insert runs into when a try with the same Idempotency-Key came this far before. */
export const ID_TAKEN = 'transfer_orders_pkey';

/**
 * Stores an order and takes the signer's nonce for it, both or neither.
 * @throws a violation of {@link ID_TAKEN}, or of {@link NONCE_TAKEN} when another order has the nonce.
 */
export async function insertTransfer(
  db: TenantDb,
  order: NewTransferOrder,
  request: NewForwardRequest,
): Promise<TransferOrder> {
  const [[row]] = await db.sql.batch([
    db.sql
      .insert(transferOrders)
      .values({ ...order, corporateAccountId: db.accountId })
      .returning(),
    insertForwardRequest(db, 'transfer', order.id, request),
  ]);
  if (row === undefined) throw new Error('The insert of a transfer order returned no row');
  return row;
}

export async function findTransfer(db: TenantDb, id: string): Promise<TransferOrder | undefined> {
  const [row] = await db.sql
    .select()
    .from(transferOrders)
    .where(and(eq(transferOrders.id, id), eq(transferOrders.corporateAccountId, db.accountId)));
  return row;
}

/** What a list of transfers is narrowed to. */
export interface TransferFilter {
  readonly status?: OrderStatus | undefined;
  /** Lower case. */
  readonly contractAddress?: Address | undefined;
  readonly from?: Address | undefined;
}

/** A page of the account's transfers, newest first; each filter has an index that ends in the id. */
export function listTransfers(db: TenantDb, { status, contractAddress, from }: TransferFilter, page: PageRange) {
  return db.sql
    .select()
    .from(transferOrders)
    .where(
      and(
        inPage(transferOrders, db, page),
        status === undefined ? undefined : eq(transferOrders.status, status),
        contractAddress === undefined ? undefined : eq(transferOrders.contractAddress, contractAddress),
        from === undefined ? undefined : sql`lower(${transferOrders.from}) = ${from.toLowerCase()}`,
      ),
    )
    .orderBy(desc(transferOrders.id))
    .limit(page.take);
}

/** @param txHash Lower case. */
export async function findTransferByTx(db: TenantDb, txHash: Hex): Promise<TransferOrder | undefined> {
  const [row] = await db.sql
    .select()
    .from(transferOrders)
    .where(and(eq(transferOrders.txHash, txHash), eq(transferOrders.corporateAccountId, db.accountId)));
  return row;
}

/** Moves PENDING orders to PROCESSING; returns the claims of all that are not finished. */
export async function claimTransfers(
  db: SystemDb,
  ids: readonly string[],
  now: Date,
): Promise<Claim<RelayedTransfer>[]> {
  const [, rows] = await db.sql.batch([
    startOrders(db, transferOrders, ids, now),
    db.sql
      .select({ order: transferOrders, request: forwardRequests, account: accountColumns })
      .from(transferOrders)
      .innerJoin(forwardRequests, eq(forwardRequests.orderId, transferOrders.id))
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, transferOrders.corporateAccountId))
      .where(and(inArray(transferOrders.id, [...ids]), isUnderWay(transferOrders)))
      .orderBy(transferOrders.id),
  ]);
  return rows.map(({ order, request, account }) => ({
    orderId: order.id,
    chainId: order.chainId,
    account,
    order: { ...order, request },
  }));
}

const endColumns = { ...orderEndColumns, transferGasUsed: 'text' } as const;

/** What the end of an order writes. */
export type TransferEnd = Pick<TransferOrder, 'id' | keyof typeof endColumns>;

/** The statement of a settle that ends orders. */
export function endTransfers(db: SystemDb, settlementId: string, ends: readonly TransferEnd[]): Statement {
  return db.sql
    .update(transferOrders)
    .set(assignments('v', columnNames(endColumns)))
    .from(recordset('v', { id: 'text', ...endColumns }, ends))
    .where(and(sql`${transferOrders.id} = v.id`, bySettlement(settlementId, transferOrders.id)));
}
