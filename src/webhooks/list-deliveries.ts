import { z } from 'zod';
import { DELIVERY_STATUSES } from '../core/delivery-status.ts';
import { recordIdField } from '../core/fields.ts';
import { pageFields, pageOf, pageRange } from '../core/paging.ts';
import type { Page } from '../core/paging.ts';
import type { TenantServices } from '../services.ts';
import { listDeliveries as selectDeliveries } from './deliveries.store.ts';
import { deliveryReply, eventIdField, recordIdOf } from './delivery-reply.ts';
import type { deliveryReplySchema } from './delivery-reply.ts';

/** @param eventTypes All of them. */
export function deliveryListQuery(eventTypes: readonly string[]) {
  return z.object({
    ...pageFields,
    status: z.enum(DELIVERY_STATUSES).optional().meta({ description: 'Only in this state' }),
    eventType: z.enum(eventTypes).optional().meta({ description: 'Only of this type' }),
    eventId: eventIdField.optional().meta({ description: 'Only of this event, by its webhook-id' }),
    orderId: recordIdField.optional().meta({ description: 'Only about this order, contract or ownership transfer' }),
    endpointId: recordIdField.optional().meta({ description: 'Only to this endpoint' }),
  });
}

/** A page of the account's deliveries that the caller may see, newest first. */
export async function listDeliveries(
  { db }: TenantServices,
  { eventId, ...query }: z.output<ReturnType<typeof deliveryListQuery>>,
): Promise<Page<z.output<typeof deliveryReplySchema>>> {
  const range = pageRange(query);
  const filter = { ...query, eventId: eventId === undefined ? undefined : recordIdOf(eventId) };
  const { rows, searchedTo } = await selectDeliveries(db, filter, range);
  return pageOf(rows, range, deliveryReply, searchedTo);
}
