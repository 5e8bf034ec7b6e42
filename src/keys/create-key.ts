import type { z } from 'zod';
import { excessOver, rightsOf } from '../accounts/account-key.ts';
import { insertKey } from '../accounts/account-keys.store.ts';
import type { StoredKey } from '../accounts/account-keys.store.ts';
import type { keyInput } from '../accounts/key-input.ts';
import { keyHash, newKeySecret } from '../accounts/key-secret.ts';
import { DomainError, invalidInput } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';

/**
 * Creates a key of the account.
 * @returns the key, and the value of x-api-key. That value is never stored: `secret` is undefined when an earlier attempt with
 *   the same Idempotency-Key created the key.
 * @throws {DomainError} `forbidden` when the new key could do more than the one that creates it; `invalid` when the new key would
 *   be expired; `unauthenticated` when the creating key was revoked in the meantime.
 */
export async function createKey(
  { actor, db, clock, newId }: TenantServices,
  input: z.output<typeof keyInput>,
): Promise<{ readonly key: StoredKey; readonly secret: string | undefined }> {
  const creator = actor.type === 'key' ? actor.key : undefined;
  const createdAt = new Date(clock.now());
  const rights = rightsOf(input, creator);
  if (rights.expiresAt !== null && rights.expiresAt <= createdAt) {
    throw invalidInput([{ path: 'expiresAt', message: 'must be in the future', code: 'expired' }]);
  }
  const excess = creator === undefined ? [] : excessOver(creator, rights);
  if (excess.length > 0) {
    throw new DomainError('forbidden', `A key cannot create one that may do more than itself: ${excess.join('; ')}`);
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
  if (stored === undefined) throw new DomainError('unauthenticated', 'The key in x-api-key is revoked');
  return { key: stored.key, secret: stored.isNew ? secret : undefined };
}
