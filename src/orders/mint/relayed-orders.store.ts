import { eq, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { deploymentOf } from '../../catalog/contracts/contracts.store.ts';
import { acceptOrders, type AcceptedKind } from '../../engine/limits.store.ts';
import type { OrderReading } from '../../engine/order-kind.ts';
import { orderReading } from '../../engine/transactions.store.ts';
import type { TenantDb } from '../../platform/database/client.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { forwardRequests, mintingOrders } from '../../platform/database/schema.ts';
import { columnsOf, newRow } from '../../platform/database/values.ts';
import {
  insertForwardRequest,
  relayColumns,
  type NewForwardRequest,
  type Relayed,
} from '../../relay/forward-requests.store.ts';
import type { OrderDraft } from './draft-orders.ts';
import {
  joinedColumns,
  joinedTables,
  lockMetadata,
  refuseOccupied,
  type MintingOrder,
  type MintOrder,
} from './minting-orders.store.ts';

/** An order with the request that the contract's owner signed. */
export interface RelayedMint extends MintOrder, Relayed {
  readonly chainId: string;
  readonly contractAddress: Address;
  readonly createdAt: Date;
}

/** The constraint that an insert violates if another order uses the ERC-721 metadata. */
export const METADATA_TAKEN = 'minting_orders_occupancy';

/**
 * Stores an order with its transaction and reserves the signer's nonce for it, in one SQL transaction.
 * @param walletAddress The account's wallet.
 * @throws {LimitExceeded}; a violation of {@link ID_TAKEN}, {@link METADATA_TAKEN} or {@link NONCE_TAKEN};
 *   `nonce_used` if another order has used the nonce; `metadata_occupied` if its metadata is in use.
 */
export async function insertRelayedOrder(
  db: TenantDb,
  kind: AcceptedKind,
  walletAddress: Address,
  { registeredAtBlock, ...order }: OrderDraft['order'],
  request: NewForwardRequest,
): Promise<MintingOrder> {
  const { id: orderId, chainId, contractId, createdAt } = order;
  const notBeforeBlock = Math.max(request.readAtBlock, registeredAtBlock ?? 0);
  const after = deploymentOf(contractId);
  const mint = { ...order, mode: 'relay' as const };
  const accepted = { order: mint, orderId, chainId, walletAddress, notBeforeBlock, after };
  const { limits, stored, accepted: check } = acceptOrders(db, kind, [accepted], createdAt);
  await runChange(
    db,
    {
      lock: lockMetadata(db, [order.metadataId]),
      limits,
      stored,
      guardOccupied: refuseOccupied(db, orderId),
      signed: insertForwardRequest(db, kind.name, orderId, request),
      check,
    },
    sql`select ${orderId} as id`,
  );
  return newRow(mintingOrders, { ...mint, corporateAccountId: db.accountId });
}

/** How the engine reads them. */
export const relayedMintRows: OrderReading<RelayedMint> = orderReading(
  mintingOrders.id,
  { ...columnsOf(mintingOrders), ...joinedColumns, ...relayColumns },
  sql`${joinedTables} join ${forwardRequests} on ${eq(forwardRequests.orderId, mintingOrders.id)}`,
);
