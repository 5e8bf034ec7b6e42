import { z } from 'zod';
import { invalidInput, DomainError, notFound } from '../core/domain-error.ts';
import { textField, urlField } from '../core/fields.ts';
import { targetIssue } from '../platform/egress/target-issue.ts';
import type { Encryption } from '../platform/encryption.ts';
import type { Settings } from '../platform/env.ts';
import { chainKindOf } from '../accounts/chains-of-actor.ts';
import {
  decryptWebhookSecret,
  encryptWebhookSecret,
  newWebhookSecret,
  SECRET_OVERLAP_MS,
} from '../accounts/webhook-secret.ts';
import type { TenantServices } from '../services.ts';
import { endpointReply, type endpointSecretSchema } from './endpoint-reply.ts';
import {
  findStoredEndpoint,
  insertEndpoint,
  updateEndpoint,
  replaceSecret,
  type Endpoint,
  type EndpointChange,
} from './endpoints.store.ts';
import { getEndpoint } from './read-endpoints.ts';

/** The fields of an endpoint that its account sets. @param eventTypes The event types that it may name. */
function endpointFields(eventTypes: readonly string[]) {
  return {
    url: urlField('page').meta({
      description: 'https, port 443 or 8443, to a public address; see docs/webhooks.md',
      example: 'https://example.com/hooks',
    }),
    eventTypes: z
      .array(z.enum(eventTypes))
      .min(1, 'must name an event type')
      .refine((types) => new Set(types).size === types.length, 'must name each event type once')
      .meta({ uniqueItems: true, maxItems: eventTypes.length })
      .nullable()
      .meta({ description: 'The events it gets; null or absent: the ends of all orders, also of kinds added later' }),
    description: textField(200).nullable().meta({ description: 'A note', example: 'Production' }),
  };
}

/** @throws {DomainError} `invalid` for a URL to which no events may be sent. */
function requireTarget(url: string, settings: Pick<Settings, 'WEBHOOK_ALLOW_PRIVATE_TARGETS'>): void {
  const message = targetIssue(url, settings.WEBHOOK_ALLOW_PRIVATE_TARGETS);
  if (message !== undefined) throw invalidInput([{ path: 'url', message }]);
}

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
 * Creates an endpoint with its own secret, which only this reply has. A key's endpoint gets the events of chains of the
 * key's kind.
 * @throws {DomainError} `invalid` for a URL to which no events may be sent; `conflict` when the account has 16
 *   endpoints.
 */
export async function createEndpoint(
  { actor, db, clock, encryption, newId, settings, isRetry }: TenantServices,
  { url, eventTypes = null, description = null }: z.output<ReturnType<typeof endpointInput>>,
): Promise<z.output<typeof endpointSecretSchema>> {
  const [id, secretId] = [newId(), newId()];
  // An earlier attempt of the same request has stored it, and it may have been changed or deleted since.
  const earlier = isRetry ? await findStoredEndpoint(db, id) : undefined;
  if (earlier !== undefined) return await withSecret(encryption, earlier);

  requireTarget(url, settings);
  const secret = await encryptWebhookSecret(encryption, id, newWebhookSecret());
  const endpoint = await insertEndpoint(
    db,
    { id, url, eventTypes, description, chainKind: chainKindOf(actor) ?? null, secretId, secret },
    MAX_ENDPOINTS,
    new Date(clock.now()),
  );
  if (endpoint === undefined) throw new DomainError('conflict', `The account already has ${MAX_ENDPOINTS} endpoints`);
  return await withSecret(encryption, endpoint);
}

async function withSecret(encryption: Encryption, endpoint: Endpoint): Promise<z.output<typeof endpointSecretSchema>> {
  return { ...endpointReply(endpoint), secret: await decryptWebhookSecret(encryption, endpoint.id, endpoint.secret) };
}

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
 * @throws {DomainError} as {@link getEndpoint}; `conflict` for the endpoint that the operator sets; `forbidden` if the
 *   caller's key is for one kind of chains and the endpoint gets the events of both.
 */
async function requireChangeable(services: Pick<TenantServices, 'actor' | 'db'>, id: string): Promise<void> {
  const { managedBy, chainKind } = await getEndpoint(services, id);
  if (managedBy === 'operator') {
    throw new DomainError('conflict', 'The operator of the service manages this endpoint');
  }
  if (chainKind === null && chainKindOf(services.actor) !== undefined) {
    throw new DomainError('forbidden', 'The endpoint gets events of main and test chains, but the key is for one kind');
  }
}

/**
 * Gives an endpoint a new secret, which only this reply has. For a day the former one signs too, an earlier one no
 * longer.
 * @throws {DomainError} as {@link requireChangeable}.
 */
export async function rotateSecret(
  services: TenantServices,
  id: string,
): Promise<z.output<typeof endpointSecretSchema>> {
  const { db, clock, encryption, newId, isRetry } = services;
  // An earlier attempt of the same request has done so, and the secret may have been rotated again since, or the
  // endpoint deleted.
  const earlier = isRetry ? await findStoredEndpoint(db, id) : undefined;
  if (earlier !== undefined) return await withSecret(encryption, earlier);

  await requireChangeable(services, id);
  const now = clock.now();
  const next = { secretId: newId(), secret: await encryptWebhookSecret(encryption, id, newWebhookSecret()) };
  const endpoint = await replaceSecret(db, id, next, new Date(now + SECRET_OVERLAP_MS), new Date(now));
  if (endpoint === undefined) throw notFound('Webhook endpoint');
  return await withSecret(encryption, endpoint);
}
