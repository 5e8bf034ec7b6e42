import { wakeLanes } from '../engine/wake-lanes.ts';
import type { WalletLane } from '../engine/wallet-lane.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import type { TenantServices } from '../services.ts';
import { findOrder, type StoredKind } from './orders.store.ts';

/**
 * The order that an earlier attempt of the same request has stored; it may have been executed since, or that attempt
 * ended before its lane was woken, so that it is woken here.
 * @param id Of what the request creates; the same at each attempt.
 */
export async function findEarlier<Order>(
  services: TenantServices,
  kind: StoredKind<Order> & Pick<AnyOrderKind, 'queue'>,
  { id, lane }: { readonly id: string; readonly lane: WalletLane },
): Promise<Order | undefined> {
  if (!services.isRetry) return undefined;
  const order = await findOrder(services.db, [kind], { id });
  if (order !== undefined) wakeLanes(services, kind, [lane]);
  return order;
}
