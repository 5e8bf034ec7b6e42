import type { z } from 'zod';
import {
  SECRET_OVERLAP_MS,
  decryptWebhookSecret,
  encryptWebhookSecret,
  newWebhookSecret,
} from '../accounts/webhook-secret.ts';
import type { TenantServices } from '../services.ts';
import { requireOwn } from './change-endpoint.ts';
import { endpointReply } from './endpoint-reply.ts';
import type { endpointSecretSchema } from './endpoint-reply.ts';
import { replaceSecret } from './endpoints.store.ts';

/**
 * Gives an endpoint a new secret, which is in this reply only. For a day the former one signs too; one before that no longer.
 * @throws {DomainError} `not-found` where the account has no such endpoint; `conflict` for the one that the operator sets.
 */
export async function rotateSecret(
  services: TenantServices,
  id: string,
): Promise<z.output<typeof endpointSecretSchema>> {
  const { db, clock, encryption, newId } = services;
  const now = clock.now();
  const next = { secretId: newId(), secret: await encryptWebhookSecret(encryption, id, newWebhookSecret()) };
  const stored = await replaceSecret(db, id, next, new Date(now + SECRET_OVERLAP_MS), new Date(now));
  const endpoint = await requireOwn(services, id, stored);
  return { ...endpointReply(endpoint), secret: await decryptWebhookSecret(encryption, id, endpoint.secret) };
}
