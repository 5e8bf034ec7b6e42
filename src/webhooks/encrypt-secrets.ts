import { decryptWebhookSecret, encryptWebhookSecret } from '../accounts/webhook-secret.ts';
import type { Services } from '../services.ts';
import { PAGE, encryptAgain } from './encrypt-again.ts';
import { removeExpiredSecrets, replaceSecrets, secretsOfOtherKeys } from './endpoint-secrets.store.ts';

/**
 * Encrypts stored secrets of former keys with the newest one, so that the former are no longer needed. Secrets that a rotation replaced more than a day ago are deleted.
 * @returns as {@link encryptAgain}, of endpoints.
 */
export async function encryptSecrets({ db, encryption, log }: Services, now: Date) {
  await removeExpiredSecrets(db, now);
  return await encryptAgain({
    read: (offset) => secretsOfOtherKeys(db, encryption.newestKeyId, { limit: PAGE, offset }),
    async encrypt(before) {
      const { id, secret, secretPrevious } = before;
      const again = async (text: string) =>
        await encryptWebhookSecret(encryption, id, await decryptWebhookSecret(encryption, id, text));
      const former = secretPrevious === null ? null : await again(secretPrevious);
      await replaceSecrets(db, before, { id, secret: await again(secret), secretPrevious: former });
    },
    unreadable: ({ id }, error) => log.error('webhook.secret_unreadable', { endpointId: id, error }),
  });
}
