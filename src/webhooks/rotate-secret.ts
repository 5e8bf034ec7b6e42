import type { z } from 'zod';
import {
  SECRET_OVERLAP_MS,
  decryptWebhookSecret,
  encryptWebhookSecret,
  newWebhookSecret,
} from '../accounts/webhook-secret.ts';
import { notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { requireChangeable } from './change-endpoint.ts';
import { endpointReply } from './endpoint-reply.ts';
import type { endpointSecretSchema } from './endpoint-reply.ts';
import { replaceSecret } from './endpoints.store.ts';

/**
 * Gives an endpoint a new secret, which only this reply has. For a day the former one signs too, an earlier one no longer.
 * @throws {DomainError} as {@link requireChangeable}.
 */
export async function rotateSecret(
  services: TenantServices,
  id: string,
): Promise<z.output<typeof endpointSecretSchema>> {
  const { db, clock, encryption, newId } = services;
  await requireChangeable(services, id);
  const now = clock.now();
  const next = { secretId: newId(), secret: await encryptWebhookSecret(encryption, id, newWebhookSecret()) };
  const endpoint = await replaceSecret(db, id, next, new Date(now + SECRET_OVERLAP_MS), new Date(now));
  if (endpoint === undefined) throw notFound('Webhook endpoint');
  return { ...endpointReply(endpoint), secret: await decryptWebhookSecret(encryption, id, endpoint.secret) };
}
