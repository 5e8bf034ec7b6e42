import { decryptWebhookSecret, encryptWebhookSecret } from '../accounts/webhook-secret.ts';
import type { Services } from '../services.ts';
import { removeExpiredSecrets, replaceSecrets, secretsOfOtherKeys } from './endpoint-secrets.store.ts';

/** How many endpoints one call goes through. */
const AT_ONCE = 500;

/**
 * Encrypts stored secrets with the newest key: those of an earlier version, which are plain, and those of a former key, which is needed no longer
 * once this has gone through all. Secrets that a rotation has replaced a day ago are deleted.
 * @returns how many endpoints it has changed.
 */
export async function encryptSecrets({ db, encryption, log }: Services, now: Date): Promise<number> {
  await removeExpiredSecrets(db, now);
  const stored = await secretsOfOtherKeys(db, encryption.newestKeyId, AT_ONCE);
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
      // One endpoint whose key is gone keeps no other from its new key.
      log.error('webhook.secret_unreadable', { endpointId: id, error });
    }
  }
  return changed;
}
