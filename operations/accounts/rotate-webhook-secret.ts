import { randomBytes } from 'node:crypto';
import { inTransaction } from './in-transaction.ts';
import { recordCommand } from './record-command.ts';

/** How long both the old and the new secret sign, so that a receiver can switch without losing an event. */
const OVERLAP = '24 hours';

/** A new signing secret in the format of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Gives an account a new webhook secret. The old one also signs for 24 hours; one from an earlier rotation expires at once.
 * @throws when the account does not exist.
 */
export async function rotateWebhookSecret(corporateId: string, databaseUrl: string): Promise<void> {
  await inTransaction(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `UPDATE corporate_accounts SET webhook_secret = $2, webhook_secret_previous = webhook_secret,
         webhook_secret_previous_expires_at = now() + $3::interval, updated_at = now()
       WHERE corporate_id = $1 RETURNING id`,
      [corporateId, newWebhookSecret(), OVERLAP],
    );
    if (rows.length === 0) throw new Error(`There is no account ${corporateId}`);
    const resourceIds = rows.map(({ id }) => id);
    await recordCommand(client, { name: 'rotate-webhook-secret', corporateId, resourceIds });
  });
}
