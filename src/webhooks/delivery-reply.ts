import { z } from 'zod';
import {
  ATTEMPT_STATUSES,
  DELIVERY_STATUSES,
  UNFINISHED_DELIVERY_STATUSES,
} from '../platform/database/vocabulary/delivery-status.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import type { Delivery } from './deliveries.store.ts';

const PREFIX = 'evt_';

/** An event as receivers know it: the header `webhook-id`. */
export const eventIdField = z
  .templateLiteral([PREFIX, recordIdField])
  .meta({ type: 'string', pattern: '^evt_[0-9a-f]{24}$', example: 'evt_0190f3c1a2b4d5e6f7a8b9c0' });

export function eventIdOf(recordId: string): `evt_${string}` {
  return `${PREFIX}${recordId}`;
}

/** The record of an event, by the id that receivers know. */
export function recordIdOf(eventId: z.output<typeof eventIdField>): string {
  return eventId.slice(PREFIX.length);
}

const fields = {
  id: recordIdField.meta({ description: 'Id of the delivery' }),
  eventId: eventIdField.meta({ description: 'The header webhook-id' }),
  eventType: z.string().meta({ description: 'Type of the event', example: 'mint.confirmed' }),
  orderId: recordIdField
    .nullable()
    .meta({ description: 'Id of the order, contract or ownership transfer; null if the event is about none' }),
  endpointId: recordIdField.meta({ description: 'The endpoint that gets it' }),
  status: z.enum(DELIVERY_STATUSES).meta({
    description:
      'PENDING: not attempted yet. RETRYING: another attempt follows. SUCCESS, FAILED: ended. SKIPPED: the endpoint has no URL, or is not ENABLED',
  }),
  attempts: z
    .array(
      z.object({
        number: z.int().meta({ description: 'From 1', example: 1 }),
        status: z
          .enum(ATTEMPT_STATUSES)
          .meta({ description: 'SUCCESS: 2xx. FAILED: no further attempt. RETRYING: another follows' }),
        responseStatusCode: z
          .int()
          .nullable()
          .meta({ description: 'HTTP status of the response; null for none', example: 200 }),
        errorMessage: z
          .string()
          .nullable()
          .meta({ description: 'Why there was no response; null if there was one', example: 'The request timed out' }),
        at: instantField.meta({ description: 'When it ended, UTC' }),
      }),
    )
    .meta({ description: 'The last 20 that have ended, in order' }),
  nextAttemptAt: instantField.nullable().meta({ description: 'UTC; null when there is none' }),
  createdAt: instantField,
  updatedAt: instantField,
};

export const deliveryReplySchema = z.object(fields).meta({ id: 'WebhookDelivery' });

/** A delivery with what was sent. */
export const deliveryWithPayloadSchema = z
  .object({
    ...fields,
    payload: z.string().meta({
      description: 'The exact body of every attempt',
      example: '{"type":"mint.confirmed","timestamp":"2026-11-02T09:30:00.000Z","data":{}}',
    }),
  })
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
