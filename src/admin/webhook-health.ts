import { z } from 'zod';
import { DELIVERY_STATUSES } from '../core/delivery-status.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import type { Services } from '../services.ts';
import { failingWebhooks, MAX_COUNTED_DELIVERIES } from './webhook-health.store.ts';

const DAY_MS = 86_400_000;
const LIMIT = 50;

export const webhookHealthSchema = z
  .object({
    endpoints: z
      .array(
        z.object({
          endpointId: recordIdField,
          corporateId: z.string(),
          url: z.string().nullable().meta({ description: 'null: WEBHOOK_URL' }),
          succeeded: z.int(),
          failed: z.int(),
          retrying: z.int(),
        }),
      )
      .meta({
        description: `Endpoints with deliveries of the last 24 hours that failed or are retried, at most ${LIMIT}; of the newest ${MAX_COUNTED_DELIVERIES} deliveries`,
      }),
    deliveries: z
      .array(
        z.object({
          id: recordIdField,
          endpointId: recordIdField,
          corporateId: z.string(),
          eventType: z.string(),
          orderId: recordIdField.nullable(),
          status: z.enum(DELIVERY_STATUSES),
          attempts: z.int(),
          updatedAt: instantField,
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
