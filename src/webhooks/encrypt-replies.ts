import { repliesOfOtherKeys, replaceReply, replyContext } from '../platform/database/idempotency-keys.ts';
import type { Services } from '../services.ts';

/** The most replies that one call changes. */
const MAX_REPLIES = 500;

/**
 * Encrypts replies that have a webhook's secret, and are stored for a retry with the same Idempotency-Key, with the newest key.
 * @returns the number of changed replies.
 */
export async function encryptReplies({
  db,
  encryption,
  log,
}: Pick<Services, 'db' | 'encryption' | 'log'>): Promise<number> {
  const stored = await repliesOfOtherKeys(db, encryption.newestKeyId, MAX_REPLIES);
  let changed = 0;
  for (const row of stored) {
    const context = replyContext(row);
    try {
      const reply = await encryption.decrypt(row.body ?? '', context);
      await replaceReply(db, row, await encryption.encrypt(reply, context));
      changed += 1;
    } catch (error) {
      // A reply whose key is gone does not stop the others.
      log.error('webhook.reply_unreadable', { createdAt: row.createdAt, error });
    }
  }
  return changed;
}
