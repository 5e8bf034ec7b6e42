import type { Address } from 'viem';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import type { OrderForm, Progressing, StoredOrder } from '../engine/order-row.store.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import { laneOf } from '../engine/wallet-lane.ts';
import type { TenantServices } from '../services.ts';
import { findOrder } from './orders.store.ts';

type EarlierKind = Pick<AnyOrderKind, 'name' | 'dependency' | 'queue'>;

/**
 * The order that an earlier attempt of the same request has stored. It comes before everything that could refuse the
 * request: the order may have been executed since, or what it is about have changed. That attempt may have ended before
 * its lane was woken, so that it is woken here.
 * @param kinds Those that it may be of: the first is the one that the request orders.
 * @param id Of what the request creates; the same at each attempt.
 * @param walletAddress The wallet that makes the call.
 */
export async function findEarlier<Order extends StoredOrder>(
  services: TenantServices,
  form: OrderForm<Order>,
  kinds: readonly [EarlierKind, ...EarlierKind[]],
  id: string,
  walletAddress?: Address,
): Promise<Progressing<Order> | undefined> {
  return await wakeEarlier(services, kinds[0], () => findOrder(services.db, form, kinds, { id }), walletAddress);
}

/** {@link findEarlier}, for what is more than a row of an order. @param find Reads it. */
export async function wakeEarlier<Order extends { readonly chainId: string }>(
  services: TenantServices,
  kind: EarlierKind,
  find: () => Promise<Order | undefined>,
  walletAddress: Address = services.account.walletAddress,
): Promise<Order | undefined> {
  if (!services.isRetry) return undefined;
  const order = await find();
  if (order !== undefined) wakeLanes(services, kind, [laneOf(order.chainId, walletAddress)]);
  return order;
}
