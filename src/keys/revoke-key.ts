import { findKey, revokeKey as revoke } from '../accounts/account-keys.store.ts';
import { DomainError, notFound } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';

/**
 * Revokes a key of the account; within two seconds it is refused everywhere. Revoking it again changes nothing.
 * @param withDescendants Also the keys that it created, and those that they created.
 * @throws {DomainError} `not-found` when the account has no such key; `forbidden` when it is of the other kind than the caller's.
 */
export async function revokeKey(
  { actor, db, clock }: TenantServices,
  id: string,
  withDescendants: boolean,
): Promise<void> {
  const key = await findKey(db, id);
  if (key === undefined) throw notFound('Key');
  if (actor.type === 'key' && actor.key.kind !== key.kind) {
    throw new DomainError('forbidden', `A ${actor.key.kind} key manages ${actor.key.kind} keys only`);
  }
  await revoke(db, id, new Date(clock.now()), withDescendants);
}
