import { z } from 'zod';
import { excessOver, rightsOf } from '../accounts/account-key.ts';
import {
  insertKey,
  listKeys as selectKeys,
  findKey,
  revokeKeys as revoke,
  type Family,
  type StoredKey,
} from './account-keys.store.ts';
import type { keyInput } from './key-input.ts';
import { keyHash, newKeySecret } from './key-secret.ts';
import { DomainError, invalidInput, notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { pageFields, pageOf, pageRange, type Page } from '../core/paging.ts';
import { endKeyResources, findKeyResources } from './key-resources.store.ts';
import { keyResourcesReply, type keyResourcesSchema } from './key-resources-reply.ts';
import { keyReply, type keyReplySchema } from './key-reply.ts';

/**
 * Creates a key of the account.
 * @returns the key, and the value of x-api-key. That value is never stored: `secret` is undefined when an earlier
 *   attempt with the same Idempotency-Key created the key.
 * @throws {DomainError} `forbidden` when the new key could do more than the one that creates it; `invalid` when the new
 *   key would be expired.
 */
export async function createKey(
  { actor, db, clock, newId, isRetry }: TenantServices,
  input: z.output<typeof keyInput>,
): Promise<{ readonly key: StoredKey; readonly secret: string | undefined }> {
  const creator = actor.type === 'key' ? actor.key : undefined;
  const createdAt = new Date(clock.now());
  const rights = rightsOf(input, creator);
  // An earlier attempt of the same request has created it, and it may have expired since.
  if (!isRetry && rights.expiresAt !== null && rights.expiresAt <= createdAt) {
    throw invalidInput([{ path: 'expiresAt', message: 'must be in the future', code: 'expired' }]);
  }
  const excess = creator === undefined ? [] : excessOver(creator, rights);
  if (excess.length > 0) {
    throw new DomainError('forbidden', `A key cannot create a more powerful key: ${excess.join('; ')}`);
  }
  const secret = newKeySecret(rights.kind);
  const stored = await insertKey(db, {
    id: newId(),
    parentId: creator?.id ?? null,
    name: input.name,
    hash: await keyHash(secret),
    ...rights,
    scopes: [...rights.scopes],
    allowedAddresses: rights.allowedAddresses === null ? null : [...rights.allowedAddresses],
    createdAt,
  });
  return { key: stored.key, secret: stored.isNew ? secret : undefined };
}

export const keyListQuery = z.object(pageFields);

/** A page of the account's keys that are not revoked, newest first. A key sees those of its own kind. */
export async function listKeys(
  { actor, db }: TenantServices,
  query: z.output<typeof keyListQuery>,
): Promise<Page<z.output<typeof keyReplySchema>>> {
  const range = pageRange(query);
  const kind = actor.type === 'key' ? actor.key.kind : undefined;
  return pageOf(await selectKeys(db, kind, range), range, keyReply);
}

/** How many ids of each kind of resource are told. */
const MAX_IDS = 100;

/**
 * What was made with a key of the account, revoked or not, and works without it.
 * @throws {DomainError} as {@link revokeKey}.
 */
export async function getKeyResources(
  services: TenantServices,
  family: Family,
): Promise<z.output<typeof keyResourcesSchema>> {
  await requireManageable(services, family.id);
  const { db, clock } = services;
  return keyResourcesReply(await findKeyResources(db, family, new Date(clock.now()), MAX_IDS));
}

/**
 * Revokes a key of the account; within two seconds it is refused everywhere. Revoking it again changes nothing.
 * @param endsResources Also ends what was made with it and would go on without it, also if it was revoked before.
 * @throws {DomainError} `not-found` when the account has no such key; `forbidden` when it is of the other kind than the
 *   caller's.
 */
export async function revokeKey(services: TenantServices, family: Family, endsResources: boolean): Promise<void> {
  await requireManageable(services, family.id);
  const { db, clock } = services;
  const now = new Date(clock.now());
  await revoke(db, family, now, endsResources ? endKeyResources(db, family, now) : undefined);
}

async function requireManageable({ actor, db }: TenantServices, id: string): Promise<void> {
  const key = await findKey(db, id);
  if (key === undefined) throw notFound('Key');
  if (actor.type === 'key' && actor.key.kind !== key.kind) {
    throw new DomainError('forbidden', `A ${actor.key.kind} key can only manage ${actor.key.kind} keys`);
  }
}
