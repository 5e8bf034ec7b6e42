import { z } from 'zod';
import { chainKindOf } from '../accounts/chains-of-actor.ts';
import { decryptWebhookSecret, encryptWebhookSecret, newWebhookSecret } from '../accounts/webhook-secret.ts';
import { DomainError } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { endpointFields, requireTarget } from './endpoint-fields.ts';
import { endpointReply } from './endpoint-reply.ts';
import type { endpointSecretSchema } from './endpoint-reply.ts';
import { insertEndpoint } from './endpoints.store.ts';

/** The most endpoints of an account, besides the one that the operator sets, and so the most deliveries of an event. */
const MAX_ENDPOINTS = 16;

/** @param types The event types that an endpoint may name. */
export function endpointInput(types: readonly string[]) {
  const { url, eventTypes, description } = endpointFields(types);
  return z
    .strictObject({ url, eventTypes: eventTypes.optional(), description: description.optional() })
    .meta({ id: 'CreateWebhookEndpoint' });
}

/**
 * Creates an endpoint with its own secret, which only this reply has. A key's endpoint gets the events of chains of the key's kind.
 * @throws {DomainError} `invalid` for a URL to which no events may be sent; `conflict` when the account has 16 endpoints.
 */
export async function createEndpoint(
  { actor, db, clock, encryption, newId, settings }: TenantServices,
  { url, eventTypes = null, description = null }: z.output<ReturnType<typeof endpointInput>>,
): Promise<z.output<typeof endpointSecretSchema>> {
  requireTarget(url, settings);
  const [id, secretId] = [newId(), newId()];
  const secret = await encryptWebhookSecret(encryption, id, newWebhookSecret());
  const endpoint = await insertEndpoint(
    db,
    { id, url, eventTypes, description, chainKind: chainKindOf(actor) ?? null, secretId, secret },
    MAX_ENDPOINTS,
    new Date(clock.now()),
  );
  if (endpoint === undefined) throw new DomainError('conflict', `The account has ${MAX_ENDPOINTS} endpoints`);
  // The secret of an earlier attempt with the same Idempotency-Key, if there was one.
  return { ...endpointReply(endpoint), secret: await decryptWebhookSecret(encryption, id, endpoint.secret) };
}
