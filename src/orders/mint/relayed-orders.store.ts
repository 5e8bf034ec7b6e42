import { eq, sql } from 'drizzle-orm';
import type { Address } from 'viem';
import { deploymentOf } from '../../catalog/contracts/deployment.ts';
import { acceptOrders, type AcceptedKind, type AcceptingDb } from '../../limits/limits.store.ts';
import type { OrderReading } from '../../engine/order-kind.ts';
import { joinedReading } from '../../engine/transactions.store.ts';
import { runChange } from '../../platform/database/record-change.ts';
import { contracts, forwardRequests, orders } from '../../platform/database/schema.ts';
import {
  insertForwardRequest,
  relayColumns,
  type NewForwardRequest,
  type Relayed,
} from '../../relay/forward-requests.store.ts';
import type { OrderDraft } from './draft-orders.ts';
import {
  isContractOfOrder,
  joinedColumns,
  lockMetadata,
  refuseOccupied,
  type MintingOrder,
  type MintOrder,
} from './minting-orders.store.ts';
import { mintingOrders } from '../order-forms.ts';

/** An order with the request that the contract's owner signed. */
export type RelayedMint = MintOrder & Relayed;

/** The constraint that an insert violates if another order uses the ERC-721 metadata. */
export const METADATA_TAKEN = 'minting_orders_occupancy';

/**
 * Stores an order with its transaction and reserves the signer's nonce for it, in one SQL transaction.
 * @param walletAddress The account's wallet.
 * @throws {LimitExceeded}; a violation of {@link ID_TAKEN}, {@link METADATA_TAKEN} or {@link NONCE_TAKEN};
 *   `nonce_used` if another order has used the nonce; `metadata_occupied` if its metadata is in use.
 */
export async function insertRelayedOrder(
  db: AcceptingDb,
  kind: AcceptedKind,
  walletAddress: Address,
  { registeredAtBlock, ...order }: OrderDraft['order'],
  request: NewForwardRequest,
): Promise<MintingOrder> {
  const { id: orderId, chainId, contractId, createdAt } = order;
  const notBeforeBlock = Math.max(request.readAtBlock, registeredAtBlock ?? 0);
  const after = deploymentOf(contractId);
  const accepted = { order, orderId, chainId, walletAddress, notBeforeBlock, after };
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
  return mintingOrders.fresh(order, kind.name, db.accountId);
}

export const relayedMintReading: OrderReading<RelayedMint> = joinedReading(
  mintingOrders,
  { ...joinedColumns, ...relayColumns },
  sql`${contracts} join ${forwardRequests} on ${eq(forwardRequests.orderId, orders.orderId)} where ${isContractOfOrder}`,
);
