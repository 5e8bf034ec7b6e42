import { decryptWebhookSecret, encryptWebhookSecret } from '../accounts/webhook-secret.ts';
import type { Services } from '../services.ts';
import { removeExpiredSecrets, replaceSecrets, secretsOfOtherKeys } from './endpoint-secrets.store.ts';

/** The most endpoints that one call changes. */
const MAX_ENDPOINTS = 500;

/**
 * Encrypts stored secrets of former keys with the newest one, so that the former are no longer needed. Secrets that a rotation replaced more than a day ago are deleted.
 * @returns the number of changed endpoints.
 */
export async function encryptSecrets({ db, encryption, log }: Services, now: Date): Promise<number> {
  await removeExpiredSecrets(db, now);
  const stored = await secretsOfOtherKeys(db, encryption.newestKeyId, MAX_ENDPOINTS);
  let changed = 0;
  for (const before of stored) {
    const { id, secret, secretPrevious } = before;
    const again = async (text: string) =>
      await encryptWebhookSecret(encryption, id, await decryptWebhookSecret(encryption, id, text));
    try {
      const former = secretPrevious === null ? null : await again(secretPrevious);
      await replaceSecrets(db, before, { id, secret: await again(secret), secretPrevious: former });
      changed += 1;
    } catch (error) {
      // An endpoint whose key is gone does not stop the others.
      log.error('webhook.secret_unreadable', { endpointId: id, error });
    }
  }
  return changed;
}
