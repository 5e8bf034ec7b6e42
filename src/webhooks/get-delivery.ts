import type { z } from 'zod';
import { requireChainOf } from '../accounts/chains-of-actor.ts';
import { notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { findDelivery } from './deliveries.store.ts';
import { deliveryReply } from './delivery-reply.ts';
import type { deliveryWithPayloadSchema } from './delivery-reply.ts';

/** @throws {DomainError} `not-found`; `forbidden` if the caller's key is not for its chain. */
export async function getDelivery(
  { actor, db }: TenantServices,
  id: string,
): Promise<z.output<typeof deliveryWithPayloadSchema>> {
  const delivery = await findDelivery(db, id);
  if (delivery === undefined) throw notFound('Webhook delivery');
  if (delivery.chainId !== null) requireChainOf(actor, delivery.chainId);
  return { ...deliveryReply(delivery), payload: delivery.payload };
}
