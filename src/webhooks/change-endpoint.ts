import { z } from 'zod';
import { chainKindOf } from '../accounts/chains-of-actor.ts';
import { DomainError, notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { endpointFields, requireTarget } from './endpoint-fields.ts';
import { updateEndpoint } from './endpoints.store.ts';
import type { Endpoint, EndpointChange } from './endpoints.store.ts';
import { getEndpoint } from './get-endpoint.ts';

/** @param types The event types that an endpoint may name. */
export function endpointChange(types: readonly string[]) {
  return z
    .strictObject({
      ...endpointFields(types),
      status: z.enum(['ENABLED', 'DISABLED']).meta({
        description: 'DISABLED: it gets no events, and its unfinished deliveries end as SKIPPED',
      }),
    })
    .partial()
    .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something')
    .meta({ id: 'ChangeWebhookEndpoint', minProperties: 1 });
}

/**
 * Changes the given fields. Unfinished deliveries go to the new URL.
 * @throws {DomainError} `invalid` for a URL to which no events may be sent; and as {@link requireChangeable}.
 */
export async function changeEndpoint(
  services: TenantServices,
  id: string,
  change: z.output<ReturnType<typeof endpointChange>>,
): Promise<Endpoint> {
  if (change.url !== undefined) requireTarget(change.url, services.settings);
  await requireChangeable(services, id);
  return await update(services, id, change);
}

/** @throws {DomainError} as {@link requireChangeable}. */
export async function deleteEndpoint(services: TenantServices, id: string): Promise<void> {
  await requireChangeable(services, id);
  await update(services, id, { status: 'DELETED' });
}

async function update({ db, clock }: TenantServices, id: string, change: EndpointChange): Promise<Endpoint> {
  const endpoint = await updateEndpoint(db, id, change, new Date(clock.now()));
  if (endpoint === undefined) throw notFound('Webhook endpoint');
  return endpoint;
}

/**
 * @throws {DomainError} as {@link getEndpoint}; `conflict` for the endpoint that the operator sets; `forbidden` if the caller's key is for one kind of
 *   chains and the endpoint gets the events of both.
 */
export async function requireChangeable(services: Pick<TenantServices, 'actor' | 'db'>, id: string): Promise<void> {
  const { managedBy, chainKind } = await getEndpoint(services, id);
  if (managedBy === 'operator') {
    throw new DomainError('conflict', 'This endpoint is set by the operator of the service');
  }
  if (chainKind === null && chainKindOf(services.actor) !== undefined) {
    throw new DomainError('forbidden', 'The endpoint gets the events of main and test chains, the key is for one kind');
  }
}
