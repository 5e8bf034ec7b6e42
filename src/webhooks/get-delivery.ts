import type { z } from 'zod';
import { chainKindOf, requireChainOf } from '../accounts/chains-of-actor.ts';
import type { Actor } from '../accounts/actor.ts';
import { DomainError, notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { findDelivery } from './deliveries.store.ts';
import type { Delivery } from './deliveries.store.ts';
import { deliveryReply } from './delivery-reply.ts';
import type { deliveryWithPayloadSchema } from './delivery-reply.ts';

/** @throws {DomainError} `not-found`; and as {@link requireVisible}. */
export async function getDelivery(
  { actor, db }: TenantServices,
  id: string,
): Promise<z.output<typeof deliveryWithPayloadSchema>> {
  const delivery = await findDelivery(db, id);
  if (delivery === undefined) throw notFound('Webhook delivery');
  requireVisible(actor, delivery);
  return { ...deliveryReply(delivery), payload: delivery.payload };
}

/** @throws {DomainError} `forbidden` if the caller's key is not for its chain, or for those whose events its endpoint gets. */
export function requireVisible(actor: Actor, { chainId, endpointChainKind }: Delivery): void {
  if (chainId !== null) requireChainOf(actor, chainId);
  const kind = chainKindOf(actor);
  if (kind === undefined || endpointChainKind === null || endpointChainKind === kind) return;
  throw new DomainError('forbidden', `The endpoint gets the events of ${endpointChainKind} chains only`);
}
