import { repliesOfOtherKeys, replaceReply, replyContext } from '../platform/database/idempotency-keys.ts';
import type { Services } from '../services.ts';
import { PAGE, encryptAgain } from './encrypt-again.ts';

/** Encrypts replies that have a webhook's secret, and are stored for a retry with the same Idempotency-Key. @returns as {@link encryptAgain}. */
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
