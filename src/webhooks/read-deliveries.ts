import { z } from 'zod';
import { DELIVERY_STATUSES } from '../platform/database/vocabulary/delivery-status.ts';
import { recordIdField } from '../core/fields.ts';
import { pageFields, pageOf, pageRange, type Page } from '../core/paging.ts';
import type { TenantServices } from '../services.ts';
import {
  listDeliveries as selectDeliveries,
  findDelivery,
  type Delivery,
  type WholeDelivery,
} from './deliveries.store.ts';
import {
  deliveryReply,
  eventIdField,
  recordIdOf,
  type deliveryReplySchema,
  type deliveryWithPayloadSchema,
} from './delivery-reply.ts';
import { chainKindOf, requireChainOf } from '../accounts/chains-of-actor.ts';
import type { Actor } from '../accounts/actor.ts';
import { DomainError, notFound } from '../core/domain-error.ts';

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

/** @throws {DomainError} `not-found`; and as {@link requireVisible}. */
export async function getDelivery(
  services: TenantServices,
  id: string,
): Promise<z.output<typeof deliveryWithPayloadSchema>> {
  return foundDelivery(services, await findDelivery(services.db, id));
}

/** @param found The result of {@link findDelivery}. @throws {DomainError} as {@link getDelivery}. */
export function foundDelivery(
  { actor }: TenantServices,
  [delivery]: readonly WholeDelivery[],
): z.output<typeof deliveryWithPayloadSchema> {
  if (delivery === undefined) throw notFound('Webhook delivery');
  requireVisible(actor, delivery);
  return { ...deliveryReply(delivery), payload: delivery.payload };
}

/**
 * @throws {DomainError} `forbidden` if the caller's key is not for its chain, or for those whose events its endpoint
 * gets.
 */
export function requireVisible(actor: Actor, { chainId, endpointChainKind }: Delivery): void {
  if (chainId !== null) requireChainOf(actor, chainId);
  const kind = chainKindOf(actor);
  if (kind === undefined || endpointChainKind === null || endpointChainKind === kind) return;
  throw new DomainError('forbidden', `The endpoint only gets events of ${endpointChainKind} chains`);
}
