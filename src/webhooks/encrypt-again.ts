import { decryptWebhookSecret, encryptWebhookSecret } from '../accounts/webhook-secret.ts';
import type { Services } from '../services.ts';
import { removeExpiredSecrets, replaceSecrets, secretsOfOtherKeys } from './endpoints.store.ts';
import { repliesOfOtherKeys, replaceReply, replyContext } from '../platform/database/idempotency-keys.ts';

/** How many texts are read at a time, and the most that one call changes. */
const PAGE = 500;

/** Stored texts that another key than the newest has encrypted. */
interface Texts<Row> {
  /** Reads a page of them, oldest first, after `offset` of them. */
  read(offset: number): Promise<readonly { readonly row: Row; readonly total: number }[]>;
  /** Encrypts one with the newest key. @throws if it cannot be read. */
  encrypt(row: Row): Promise<void>;
  unreadable(row: Row, error: unknown): void;
}

/**
 * Encrypts stored texts with the newest key. One whose key is gone does not stop the others.
 * @returns how many were changed, and how many are left: unreadable, or for the next call.
 */
async function encryptAgain<Row>(texts: Texts<Row>): Promise<{ readonly changed: number; readonly left: number }> {
  let [changed, unreadable] = [0, 0];
  for (;;) {
    const page = await texts.read(unreadable);
    const before = changed;
    for (const { row } of page) {
      try {
        await texts.encrypt(row);
        changed += 1;
      } catch (error) {
        texts.unreadable(row, error);
        unreadable += 1;
      }
    }
    const left = page[0] === undefined ? unreadable : page[0].total - (changed - before);
    if (page.length < PAGE || changed >= PAGE) return { changed, left };
  }
}

/**
 * Encrypts stored secrets of former keys with the newest one, so that the former are no longer needed. Secrets that a
 * rotation replaced more than a day ago are deleted.
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

/**
 * Encrypts replies that have a webhook's secret, and are stored for a retry with the same Idempotency-Key.
 * @returns as {@link encryptAgain}.
 */
export async function encryptReplies({ db, encryption, log }: Pick<Services, 'db' | 'encryption' | 'log'>) {
  return await encryptAgain({
    read: (offset) => repliesOfOtherKeys(db, encryption.newestKeyId, { limit: PAGE, offset }),
    async encrypt(row) {
      const context = replyContext(row);
      const reply = await encryption.decrypt(row.body ?? '', context);
      await replaceReply(db, row, await encryption.encrypt(reply, context));
    },
    unreadable: ({ createdAt }, error) => log.error('webhook.reply_unreadable', { createdAt, error }),
  });
}
