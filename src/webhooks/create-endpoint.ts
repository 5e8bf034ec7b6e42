import { z } from 'zod';
import { decryptWebhookSecret, encryptWebhookSecret, newWebhookSecret } from '../accounts/webhook-secret.ts';
import { DomainError } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { endpointFields, requireTarget } from './endpoint-fields.ts';
import { endpointReply } from './endpoint-reply.ts';
import type { endpointSecretSchema } from './endpoint-reply.ts';
import { insertEndpoint } from './endpoints.store.ts';

/** How many endpoints an account may have, besides the one that the operator sets: so many deliveries an event may have. */
const MAX_ENDPOINTS = 16;

export const endpointInput = z
  .object({
    url: endpointFields.url,
    eventTypes: endpointFields.eventTypes.optional(),
    description: endpointFields.description.optional(),
  })
  .meta({ id: 'CreateWebhookEndpoint' });

/**
 * Creates an endpoint with a secret of its own, which is in this reply only.
 * @throws {DomainError} `invalid` for a URL that events may not be sent to; `conflict` when the account has 16 endpoints.
 */
export async function createEndpoint(
  { db, clock, encryption, newId, settings }: TenantServices,
  { url, eventTypes = null, description = null }: z.output<typeof endpointInput>,
): Promise<z.output<typeof endpointSecretSchema>> {
  requireTarget(url, settings);
  const [id, secretId] = [newId(), newId()];
  const secret = await encryptWebhookSecret(encryption, id, newWebhookSecret());
  const endpoint = await insertEndpoint(
    db,
    { id, url, eventTypes, description, secretId, secret },
    MAX_ENDPOINTS,
    new Date(clock.now()),
  );
  if (endpoint === undefined) throw new DomainError('conflict', `The account has ${MAX_ENDPOINTS} endpoints`);
  // Of an earlier try with the same Idempotency-Key, if there was one.
  return { ...endpointReply(endpoint), secret: await decryptWebhookSecret(encryption, id, endpoint.secret) };
}
