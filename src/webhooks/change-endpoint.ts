import { z } from 'zod';
import { DomainError } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { endpointFields, requireTarget } from './endpoint-fields.ts';
import { updateEndpoint } from './endpoints.store.ts';
import type { Endpoint } from './endpoints.store.ts';
import { getEndpoint } from './get-endpoint.ts';

export const endpointChange = z
  .object({
    ...endpointFields,
    status: z.enum(['ENABLED', 'DISABLED']).meta({
      description: 'DISABLED: it gets no events, and what is not delivered yet ends as SKIPPED',
    }),
  })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something')
  .meta({ id: 'ChangeWebhookEndpoint' });

/**
 * Changes what is given. Deliveries under way go to the new URL.
 * @throws {DomainError} `invalid` for a URL that events may not be sent to; and as {@link requireOwn}.
 */
export async function changeEndpoint(
  services: TenantServices,
  id: string,
  change: z.output<typeof endpointChange>,
): Promise<Endpoint> {
  const { db, clock, settings } = services;
  if (change.url !== undefined) requireTarget(change.url, settings);
  return await requireOwn(services, id, await updateEndpoint(db, id, change, new Date(clock.now())));
}

/** @throws {DomainError} as {@link requireOwn}. */
export async function deleteEndpoint(services: TenantServices, id: string): Promise<void> {
  const { db, clock } = services;
  await requireOwn(services, id, await updateEndpoint(db, id, { status: 'DELETED' }, new Date(clock.now())));
}

/**
 * @param changed What a change returned: nothing where the account may not make it.
 * @throws {DomainError} `not-found` where the account has no such endpoint; `conflict` for the one that the operator sets.
 */
export async function requireOwn(
  services: Pick<TenantServices, 'db'>,
  id: string,
  changed: Endpoint | undefined,
): Promise<Endpoint> {
  if (changed !== undefined) return changed;
  await getEndpoint(services, id);
  throw new DomainError('conflict', 'This endpoint is set by the operator of the service');
}
