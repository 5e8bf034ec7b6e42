import type { z } from 'zod';
import { notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { findDelivery } from './deliveries.store.ts';
import { deliveryReply } from './delivery-reply.ts';
import type { deliveryWithPayloadSchema } from './delivery-reply.ts';

/** @throws {DomainError} `not-found` where the account has no such delivery. */
export async function getDelivery(
  { db }: TenantServices,
  id: string,
): Promise<z.output<typeof deliveryWithPayloadSchema>> {
  const delivery = await findDelivery(db, id);
  if (delivery === undefined) throw notFound('Webhook delivery');
  return { ...deliveryReply(delivery), payload: delivery.payload };
}
