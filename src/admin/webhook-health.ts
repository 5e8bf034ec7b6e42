import { z } from 'zod';
import { DELIVERY_STATUSES } from '../platform/database/vocabulary/delivery-status.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import { corporateNameReply } from '../core/reply-fields.ts';
import type { Services } from '../services.ts';
import { failingWebhooks, MAX_COUNTED_FAILURES, MAX_COUNTED_SUCCESSES } from './webhook-health.store.ts';

const DAY_MS = 86_400_000;
const LIMIT = 50;

const shownAccount = z.string().meta({ description: 'The account', example: 'demo' });

export const webhookHealthSchema = z
  .object({
    endpoints: z
      .array(
        z.object({
          endpointId: recordIdField.meta({ description: 'Id of the endpoint' }),
          corporateId: shownAccount,
          corporateName: corporateNameReply,
          url: z.string().nullable().meta({ description: 'null: WEBHOOK_URL', example: 'https://example.com/hooks' }),
          succeeded: z.int().meta({
            description: `Deliveries that succeeded, among the newest ${MAX_COUNTED_SUCCESSES} of the endpoint`,
            example: 118,
          }),
          failed: z.int().meta({ description: 'Deliveries that have FAILED', example: 2 }),
          retrying: z.int().meta({ description: 'Deliveries that will be retried', example: 1 }),
        }),
      )
      .meta({
        description: `Endpoints with deliveries of the last 24 hours that failed or are retried, at most ${LIMIT}; of the newest ${MAX_COUNTED_FAILURES} such deliveries`,
      }),
    deliveries: z
      .array(
        z.object({
          id: recordIdField.meta({ description: 'Id of the delivery' }),
          endpointId: recordIdField.meta({ description: 'Id of the endpoint' }),
          corporateId: shownAccount,
          corporateName: corporateNameReply,
          eventType: z.string().meta({ description: 'Type of the event', example: 'mint.confirmed' }),
          orderId: recordIdField.nullable().meta({ description: 'null for events that are not about an order' }),
          status: z.enum(DELIVERY_STATUSES).meta({ description: 'FAILED or RETRYING' }),
          attempts: z.int().meta({ description: 'Attempts started', example: 5 }),
          responseStatusCode: z
            .int()
            .nullable()
            .meta({ description: 'HTTP status of the reply to the last attempt; null for none', example: 503 }),
          errorMessage: z.string().nullable().meta({
            description: 'Why the last attempt got no reply; null if it did',
            example: 'The request timed out',
          }),
          updatedAt: instantField.meta({
            description: 'When it last changed, UTC',
            example: '2026-11-02T09:30:00.000Z',
          }),
        }),
      )
      .meta({ description: `The last of these deliveries, newest first, at most ${LIMIT}` }),
  })
  .meta({ id: 'WebhookHealth' });

/** Webhooks that do not arrive. */
export async function webhookHealth({ db, clock }: Services): Promise<z.output<typeof webhookHealthSchema>> {
  const { endpoints, deliveries } = await failingWebhooks(db, new Date(clock.now() - DAY_MS), LIMIT);
  return {
    endpoints,
    deliveries: deliveries.map((delivery) => ({ ...delivery, updatedAt: delivery.updatedAt.toISOString() })),
  };
}
