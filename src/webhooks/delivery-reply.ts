import { z } from 'zod';
import { ATTEMPT_STATUSES, DELIVERY_STATUSES, UNFINISHED_DELIVERY_STATUSES } from '../core/delivery-status.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import type { Delivery } from './deliveries.store.ts';

const PREFIX = 'evt_';

/** An event as receivers know it: the header `webhook-id`. */
export const eventIdField = z
  .templateLiteral([PREFIX, recordIdField])
  .meta({ type: 'string', example: 'evt_0190f3c1a2b4d5e6f7a8b9c0' });

export function eventIdOf(recordId: string): `evt_${string}` {
  return `${PREFIX}${recordId}`;
}

/** The record of an event, by the id that receivers know. */
export function recordIdOf(eventId: z.output<typeof eventIdField>): string {
  return eventId.slice(PREFIX.length);
}

const fields = {
  id: recordIdField,
  eventId: eventIdField.meta({ description: 'The header webhook-id' }),
  eventType: z.string(),
  orderId: recordIdField.nullable().meta({ description: 'null for events that are not about an order' }),
  endpointId: recordIdField,
  status: z.enum(DELIVERY_STATUSES).meta({ description: 'SKIPPED: the endpoint has no URL, or is not ENABLED' }),
  attempts: z
    .array(
      z.object({
        number: z.int(),
        status: z.enum(ATTEMPT_STATUSES),
        responseStatusCode: z.int().nullable(),
        errorMessage: z.string().nullable().meta({ description: 'Why there was no response' }),
        at: instantField.meta({ description: 'When it ended' }),
      }),
    )
    .meta({ description: 'The last 20 that have ended, in order' }),
  nextAttemptAt: instantField.nullable().meta({ description: 'null when there is none' }),
  createdAt: instantField,
  updatedAt: instantField,
};

export const deliveryReplySchema = z.object(fields).meta({ id: 'WebhookDelivery' });

/** A delivery with what was sent. */
export const deliveryWithPayloadSchema = z
  .object({ ...fields, payload: z.string().meta({ description: 'The exact body of every attempt' }) })
  .meta({ id: 'WebhookDeliveryWithPayload' });

export function deliveryReply(delivery: Delivery): z.output<typeof deliveryReplySchema> {
  const isUnfinished = UNFINISHED_DELIVERY_STATUSES.some((status) => status === delivery.status);
  return {
    id: delivery.id,
    eventId: eventIdOf(delivery.webhookEventId),
    eventType: delivery.eventType,
    orderId: delivery.relatedOrderId,
    endpointId: delivery.webhookEndpointId,
    status: delivery.status,
    attempts: [...delivery.log],
    nextAttemptAt: isUnfinished ? delivery.nextAttemptAt.toISOString() : null,
    createdAt: delivery.createdAt.toISOString(),
    updatedAt: delivery.updatedAt.toISOString(),
  };
}
