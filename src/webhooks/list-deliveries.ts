import { z } from 'zod';
import { recordIdField } from '../core/fields.ts';
import { pageFields, pageOf, pageRange } from '../core/paging.ts';
import type { Page } from '../core/paging.ts';
import type { TenantServices } from '../services.ts';
import { listDeliveries as selectDeliveries } from './deliveries.store.ts';
import { deliveryReply, eventIdField, recordIdOf } from './delivery-reply.ts';
import type { deliveryReplySchema } from './delivery-reply.ts';
import { EVENT_TYPES, DELIVERY_STATUSES } from './event.ts';
import { NOTICES } from './notices.ts';

export const deliveryListQuery = z.object({
  ...pageFields,
  status: z.enum(DELIVERY_STATUSES.statuses).optional(),
  eventType: z.enum([...Object.keys(EVENT_TYPES), ...Object.keys(NOTICES)]).optional(),
  eventId: eventIdField.optional(),
  orderId: recordIdField.optional(),
  endpointId: recordIdField.optional(),
});

/** A page of the account's deliveries, newest first. */
export async function listDeliveries(
  { db }: TenantServices,
  { eventId, ...query }: z.output<typeof deliveryListQuery>,
): Promise<Page<z.output<typeof deliveryReplySchema>>> {
  const range = pageRange(query);
  const filter = { ...query, eventId: eventId === undefined ? undefined : recordIdOf(eventId) };
  return pageOf(await selectDeliveries(db, filter, range), range, deliveryReply);
}
