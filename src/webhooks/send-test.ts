import type { z } from 'zod';
import { DomainError } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { insertTest } from './deliveries.store.ts';
import type { deliveryWithPayloadSchema } from './delivery-reply.ts';
import { foundDelivery, getDelivery } from './read-deliveries.ts';
import { getEndpoint } from './read-endpoints.ts';
import { payloadOf } from './event.ts';
import { wakeEndpoints } from './wake-endpoints.ts';

/**
 * Sends an event of type `webhook.test` to an endpoint, whatever event types it names; it is delivered like any event.
 * @returns its delivery.
 * @throws {DomainError} as {@link getEndpoint}; `conflict` if the endpoint is not ENABLED.
 */
export async function sendTest(
  services: TenantServices,
  endpointId: string,
): Promise<z.output<typeof deliveryWithPayloadSchema>> {
  const { db, clock, newId, isRetry } = services;
  const [eventId, deliveryId] = [newId(), newId()];
  // An earlier attempt of the same request has stored it, and the endpoint may have been disabled or deleted since.
  if (isRetry) {
    wakeEndpoints(services, [endpointId]);
    return await getDelivery(services, deliveryId);
  }
  const { status } = await getEndpoint(services, endpointId);
  if (status !== 'ENABLED') throw new DomainError('conflict', 'The endpoint is not enabled');
  const now = new Date(clock.now());
  const type = 'webhook.test';
  const payload = payloadOf({ type, at: now, data: { endpointId } });
  const stored = await insertTest(db, { eventId, deliveryId, endpointId, type, payload }, now);
  wakeEndpoints(services, [endpointId]);
  return foundDelivery(services, stored);
}
