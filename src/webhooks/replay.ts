import { z } from 'zod';
import { UNFINISHED_DELIVERY_STATUSES } from '../platform/database/vocabulary/delivery-status.ts';
import { DomainError, notFound } from '../core/domain-error.ts';
import { momentField, recordIdField } from '../core/fields.ts';
import type { TenantServices } from '../services.ts';
import { readReplay, replayDelivery as storeReplay, replayFailed as storeReplays } from './deliveries.store.ts';
import { deliveryReply, type deliveryReplySchema } from './delivery-reply.ts';
import { getDelivery, requireVisible } from './read-deliveries.ts';
import { getEndpoint } from './read-endpoints.ts';
import { wakeEndpoints } from './wake-endpoints.ts';

/** A replay of many adds deliveries until the account has this many unfinished ones. */
const MAX_UNFINISHED = 1_000;

/**
 * Makes a delivery that has ended again: the same event with the same id and body, up to five attempts.
 * @throws {DomainError} `not-found`; `conflict` if it has not ended, or its endpoint is not ENABLED; and as {@link
 *   requireVisible}.
 */
export async function replayDelivery(
  services: TenantServices,
  id: string,
): Promise<z.output<typeof deliveryReplySchema>> {
  const { db, clock, newId, isRetry } = services;
  // An earlier attempt of the same request has replayed it, whatever has become of it since.
  if (isRetry) {
    const { payload: _, ...delivery } = await getDelivery(services, id);
    wakeEndpoints(services, [delivery.endpointId]);
    return delivery;
  }
  const found = await storeReplay(db, id, newId(), new Date(clock.now()));
  if (found === undefined) throw notFound('Webhook delivery');
  const { delivery, isReplayed } = found;
  requireVisible(services.actor, delivery);
  if (!isReplayed) {
    const isUnfinished = UNFINISHED_DELIVERY_STATUSES.some((status) => status === delivery.status);
    throw new DomainError('conflict', isUnfinished ? 'The delivery has not ended' : 'The endpoint is not enabled');
  }
  wakeEndpoints(services, [delivery.webhookEndpointId]);
  return deliveryReply(delivery);
}

export const replayInput = z
  .strictObject({
    since: momentField.meta({
      type: 'string',
      format: 'date-time',
      description: 'Only of events at this time or later',
      example: '2026-11-02T09:30:00Z',
    }),
    endpointId: recordIdField.optional().meta({ description: 'Only of this endpoint' }),
  })
  .meta({ id: 'ReplayWebhookDeliveries' });

/** As {@link replayInput}, of an endpoint that the path names. */
export const operatorReplayInput = replayInput.omit({ endpointId: true }).meta({ id: 'ReplayEndpoint' });

export const replayReplySchema = z
  .object({
    replayed: z.int().meta({ description: 'Deliveries that are replayed', example: 3 }),
    hasMore: z.boolean().meta({ description: 'More are left: repeat the request once these have ended' }),
  })
  .meta({ id: 'ReplayedWebhookDeliveries' });

/**
 * Makes the FAILED deliveries to enabled endpoints again, oldest first, until the account has 1,000 unfinished
 * deliveries. Those about chains that the caller's key is not for are left out.
 * @throws {DomainError} as {@link getEndpoint}.
 */
export async function replayFailed(
  services: TenantServices,
  filter: z.output<typeof replayInput>,
): Promise<z.output<typeof replayReplySchema>> {
  const { db, clock, newId, isRetry } = services;
  const replayId = newId();
  if (!isRetry && filter.endpointId !== undefined) await getEndpoint(services, filter.endpointId);
  // An earlier attempt of the same request has replayed them: what has failed since is not part of it.
  const { endpointIds, hasMore } = isRetry
    ? await readReplay(db, filter, replayId)
    : await storeReplays(db, filter, replayId, MAX_UNFINISHED, new Date(clock.now()));
  wakeEndpoints(services, endpointIds);
  return { replayed: endpointIds.length, hasMore };
}
