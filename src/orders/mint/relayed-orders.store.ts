import { and, desc, eq } from 'drizzle-orm';
import type { Hex } from 'viem';
import type { SystemDb, TenantDb } from '../../platform/database/client.ts';
import { forwardRequests, mintingOrders } from '../../platform/database/schema.ts';
import type { Claim } from '../../transactions/operation.ts';
import { insertForwardRequest, requestsOf } from '../../relay/forward-requests.store.ts';
import type { NewForwardRequest, StoredRequest } from '../../relay/forward-requests.store.ts';
import type { OrderDraft } from './draft-orders.ts';
import { claimOrders } from './minting-orders.store.ts';
import type { MintOrder, MintingOrder } from './minting-orders.store.ts';

/** An order with the request that the contract's owner signed. */
export interface RelayedMint extends MintOrder {
  readonly request: StoredRequest;
}

/** The constraint that an insert runs into when another order has the ERC-721 metadata. */
export const METADATA_TAKEN = 'minting_orders_occupancy';

/** The constraint that an insert runs into when a try with the same Idempotency-Key came this far before. */
export const ID_TAKEN = 'minting_orders_pkey';

/**
 * Stores an order and takes the signer's nonce for it, both or neither.
 * @throws a violation of {@link ID_TAKEN}, {@link METADATA_TAKEN} or {@link NONCE_TAKEN}.
 */
export async function insertRelayedOrder(
  db: TenantDb,
  order: OrderDraft['order'],
  request: NewForwardRequest,
): Promise<MintingOrder> {
  const [[row]] = await db.sql.batch([
    db.sql
      .insert(mintingOrders)
      .values({ ...order, mode: 'relay', corporateAccountId: db.accountId })
      .returning(),
    insertForwardRequest(db, 'relay-mint', order.id, request),
  ]);
  if (row === undefined) throw new Error('The insert of a relayed minting order returned no row');
  return row;
}

/** The account's newest relayed mint that was ordered with this very signature. */
export async function findSignedMint(
  db: TenantDb,
  signature: Hex,
): Promise<{ readonly order: MintingOrder; readonly request: StoredRequest } | undefined> {
  const [row] = await db.sql
    .select({ order: mintingOrders, request: forwardRequests })
    .from(forwardRequests)
    .innerJoin(mintingOrders, eq(mintingOrders.id, forwardRequests.orderId))
    .where(and(eq(forwardRequests.signature, signature), eq(mintingOrders.corporateAccountId, db.accountId)))
    .orderBy(desc(mintingOrders.id))
    .limit(1);
  return row;
}

/** Moves PENDING orders to PROCESSING; returns the claims of all that are not finished. */
export async function claimRelayedOrders(
  db: SystemDb,
  ids: readonly string[],
  now: Date,
): Promise<Claim<RelayedMint>[]> {
  const claims = await claimOrders(db, ids, 'relay', now);
  const requests = await requestsOf(
    db,
    claims.map(({ orderId }) => orderId),
  );
  return claims.flatMap((claim) => {
    const request = requests.get(claim.orderId);
    return request === undefined ? [] : [{ ...claim, order: { ...claim.order, request } }];
  });
}
