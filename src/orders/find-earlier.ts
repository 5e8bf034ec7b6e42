import type { Address } from 'viem';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import { laneOf } from '../engine/wallet-lane.ts';
import type { TenantServices } from '../services.ts';
import { findOrder, type StoredKind } from './orders.store.ts';

type EarlierKind<Order> = StoredKind<Order> & Pick<AnyOrderKind, 'queue'>;

/**
 * The order that an earlier attempt of the same request has stored. It comes before everything that could refuse the
 * request: the order may have been executed since, or what it is about have changed. That attempt may have ended before
 * its lane was woken, so that it is woken here.
 * @param kinds Those whose orders share the table.
 * @param id Of what the request creates; the same at each attempt.
 * @param walletAddress The wallet that makes the call.
 */
export async function findEarlier<Order extends { readonly chainId: string }>(
  services: TenantServices,
  kinds: readonly [EarlierKind<Order>, ...EarlierKind<Order>[]],
  id: string,
  walletAddress: Address = services.account.walletAddress,
): Promise<Order | undefined> {
  if (!services.isRetry) return undefined;
  const order = await findOrder(services.db, kinds, { id });
  if (order !== undefined) wakeLanes(services, kinds[0], [laneOf(order.chainId, walletAddress)]);
  return order;
}
