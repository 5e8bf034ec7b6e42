import { and, desc, eq, inArray, lt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Address } from 'viem';
import type { ForwardRequest, Forwarder } from './forward-request.ts';
import type { Statement, SystemDb, TenantDb } from '../platform/database/client.ts';
import { recordset } from '../platform/database/values-table.ts';
import { forwardRequests } from '../platform/database/schema.ts';
import type { ForwardRequestState } from '../platform/database/schema.ts';
import { bySettlement } from '../platform/database/settlement.ts';

export type StoredRequest = typeof forwardRequests.$inferSelect;

/** A signed request that was checked, before it has an order. */
export type NewForwardRequest = Pick<
  typeof forwardRequests.$inferInsert,
  'chainId' | 'forwarderAddress' | 'signerAddress' | 'nonce' | 'contractAddress' | 'gasLimit' | 'data' | 'signature'
>;

/** The constraint that an insert runs into when another order has the signer's nonce. */
export const NONCE_TAKEN = 'forward_requests_open';

/** The request that was signed, and the forwarder it was signed for. */
export function signedRequestOf(stored: NewForwardRequest): {
  readonly forwarder: Forwarder;
  readonly request: ForwardRequest;
} {
  return {
    forwarder: { chainId: stored.chainId, address: stored.forwarderAddress },
    request: {
      from: stored.signerAddress,
      to: stored.contractAddress,
      value: 0n,
      gas: BigInt(stored.gasLimit),
      nonce: BigInt(stored.nonce),
      data: stored.data,
    },
  };
}

/** The statement that stores a signed request, together with its order: it takes the signer's nonce. */
export function insertForwardRequest(
  db: TenantDb,
  kind: StoredRequest['kind'],
  orderId: string,
  request: NewForwardRequest,
): Statement {
  return db.sql.insert(forwardRequests).values({
    ...request,
    orderId,
    kind,
    corporateAccountId: db.accountId,
    state: 'open',
  });
}

/**
 * The nonces of a signer that orders have which are not finished. All accounts' orders count: the forwarder has one row
 * of numbers for a signer, whoever relays.
 */
export async function openNonces(db: TenantDb, forwarder: Forwarder, signer: Address): Promise<bigint[]> {
  const rows = await db.sql
    .select({ nonce: forwardRequests.nonce })
    .from(forwardRequests)
    .where(and(ofSigner({ forwarder, signer }), eq(forwardRequests.state, 'open')));
  return rows.map(({ nonce }) => BigInt(nonce));
}

/** The signed requests of these orders, by the orders' ids. */
export async function requestsOf(db: SystemDb, orderIds: readonly string[]): Promise<Map<string, StoredRequest>> {
  const rows = await db.sql
    .select()
    .from(forwardRequests)
    .where(inArray(forwardRequests.orderId, [...orderIds]));
  return new Map(rows.map((request) => [request.orderId, request]));
}

/** Of these orders, those that an unfinished earlier request of the same signer must come before. */
export async function blockedOrders(db: SystemDb, orderIds: readonly string[]): Promise<string[]> {
  const earlier = alias(forwardRequests, 'earlier');
  const rows = await db.sql
    .selectDistinct({ orderId: forwardRequests.orderId })
    .from(forwardRequests)
    .innerJoin(
      earlier,
      and(
        eq(earlier.chainId, forwardRequests.chainId),
        eq(earlier.signerAddress, forwardRequests.signerAddress),
        eq(earlier.forwarderAddress, forwardRequests.forwarderAddress),
        lt(earlier.nonce, forwardRequests.nonce),
        eq(earlier.state, 'open'),
      ),
    )
    .where(inArray(forwardRequests.orderId, [...orderIds]));
  return rows.map(({ orderId }) => orderId);
}

/** The unfinished requests that come right after those of these orders. */
export async function openSuccessors(
  db: SystemDb,
  orderIds: readonly string[],
): Promise<Pick<StoredRequest, 'kind' | 'orderId'>[]> {
  const next = alias(forwardRequests, 'next');
  return await db.sql
    .selectDistinct({ kind: next.kind, orderId: next.orderId })
    .from(forwardRequests)
    .innerJoin(
      next,
      and(
        eq(next.chainId, forwardRequests.chainId),
        eq(next.signerAddress, forwardRequests.signerAddress),
        eq(next.forwarderAddress, forwardRequests.forwarderAddress),
        sql`${next.nonce} = ${forwardRequests.nonce} + 1`,
        eq(next.state, 'open'),
      ),
    )
    .where(inArray(forwardRequests.orderId, [...orderIds]));
}

/** The request that has, or had last, the nonce right before this one's. */
export async function predecessorOf(
  db: SystemDb,
  request: StoredRequest,
): Promise<Pick<StoredRequest, 'orderId' | 'nonce' | 'state' | 'updatedAt'> | undefined> {
  const [row] = await db.sql
    .select({
      orderId: forwardRequests.orderId,
      nonce: forwardRequests.nonce,
      state: forwardRequests.state,
      updatedAt: forwardRequests.updatedAt,
    })
    .from(forwardRequests)
    .where(
      and(
        ofSigner({
          forwarder: { chainId: request.chainId, address: request.forwarderAddress },
          signer: request.signerAddress,
        }),
        eq(forwardRequests.nonce, (BigInt(request.nonce) - 1n).toString()),
      ),
    )
    .orderBy(desc(forwardRequests.orderId))
    .limit(1);
  return row;
}

/** How the request of an order ends. */
export interface RequestEnd {
  readonly orderId: string;
  readonly state: Exclude<ForwardRequestState, 'open'>;
  readonly at: Date;
}

/** The statement of a settle that gives back the nonces of its orders, or leaves them to the forwarder. */
export function endForwardRequests(db: SystemDb, settlementId: string, ends: readonly RequestEnd[]): Statement {
  return db.sql
    .update(forwardRequests)
    .set({ state: sql`v.state`, updatedAt: sql`v.at` })
    .from(recordset('v', { orderId: 'text', state: 'text', at: 'timestamptz' }, ends))
    .where(and(sql`${forwardRequests.orderId} = v."orderId"`, bySettlement(settlementId, forwardRequests.orderId)));
}

function ofSigner({ forwarder, signer }: { readonly forwarder: Forwarder; readonly signer: Address }) {
  return and(
    eq(forwardRequests.chainId, forwarder.chainId),
    eq(forwardRequests.signerAddress, signer),
    eq(forwardRequests.forwarderAddress, forwarder.address),
  );
}
