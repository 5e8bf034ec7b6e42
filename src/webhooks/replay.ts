import { z } from 'zod';
import { DomainError, notFound } from '../core/domain-error.ts';
import { recordIdField } from '../core/fields.ts';
import { momentField } from '../core/paging.ts';
import type { TenantServices } from '../services.ts';
import { replayDelivery as storeReplay, replayFailed as storeReplays } from './deliveries.store.ts';
import { deliveryReply } from './delivery-reply.ts';
import type { deliveryReplySchema } from './delivery-reply.ts';
import { DELIVERY_STATUSES } from './event.ts';
import { getEndpoint } from './get-endpoint.ts';
import { queueDeliveries } from './queue-deliveries.ts';

/** A replay of many adds deliveries until the account has so many without an end. */
const MOST_UNDER_WAY = 1_000;

/**
 * Makes a delivery that has ended again: the same event with the same id and body, up to five attempts.
 * @throws {DomainError} `not-found` where the account has no such delivery; `conflict` while it has not ended, and where its endpoint is not ENABLED.
 */
export async function replayDelivery(
  services: TenantServices,
  id: string,
): Promise<z.output<typeof deliveryReplySchema>> {
  const { db, clock, newId } = services;
  const found = await storeReplay(db, id, newId(), new Date(clock.now()));
  if (found === undefined) throw notFound('Webhook delivery');
  const { delivery, isReplayed } = found;
  if (!isReplayed) {
    const isUnfinished = DELIVERY_STATUSES.unfinished.some((status) => status === delivery.status);
    throw new DomainError('conflict', isUnfinished ? 'The delivery has not ended' : 'The endpoint is not enabled');
  }
  await queueDeliveries(services, [id]);
  return deliveryReply(delivery);
}

export const replayInput = z
  .object({
    since: momentField.meta({
      type: 'string',
      format: 'date-time',
      description: 'Of events that happened then or later',
    }),
    endpointId: recordIdField.optional().meta({ description: 'Of this endpoint only' }),
  })
  .meta({ id: 'ReplayWebhookDeliveries' });

export const replayReplySchema = z
  .object({
    replayed: z.int(),
    hasMore: z.boolean().meta({ description: 'Others are left: ask again once these have ended' }),
  })
  .meta({ id: 'ReplayedWebhookDeliveries' });

/**
 * Makes the FAILED deliveries to enabled endpoints again, the oldest first, until the account has 1,000 deliveries without an end.
 * @throws {DomainError} `not-found` where the account has no such endpoint.
 */
export async function replayFailed(
  services: TenantServices,
  filter: z.output<typeof replayInput>,
): Promise<z.output<typeof replayReplySchema>> {
  const { db, clock, newId } = services;
  if (filter.endpointId !== undefined) await getEndpoint(services, filter.endpointId);
  const { ids, hasMore } = await storeReplays(db, filter, newId(), MOST_UNDER_WAY, new Date(clock.now()));
  await queueDeliveries(services, ids);
  return { replayed: ids.length, hasMore };
}
