import { SECRET_OVERLAP_MS, encryptWebhookSecret, newWebhookSecret } from '../../src/accounts/webhook-secret.ts';
import { newId } from '../../src/core/record-id.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';
import type { AccountStores } from './upsert-account.ts';

/**
 * Gives the webhook of an account a new secret. The old one also signs for 24 hours; one from an earlier rotation
 * expires at once.
 * @throws when the account does not exist.
 */
export async function rotateWebhookSecret(corporateId: string, { databaseUrl, secrets }: AccountStores): Promise<void> {
  const encryption = createEncryption(secrets.ENCRYPTION_KEYS);
  await inTransaction(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `SELECT p.id FROM webhook_endpoints p JOIN corporate_accounts a ON a.id = p.corporate_account_id
       WHERE a.corporate_id = $1 AND p.managed_by = 'operator'`,
      [corporateId],
    );
    const [endpoint] = rows;
    if (endpoint === undefined) throw new Error(`There is no account ${corporateId}`);
    const { id } = endpoint;
    await client.query(
      `UPDATE webhook_endpoints SET secret_id = $2, secret = $3, secret_previous = secret,
         secret_previous_expires_at = now() + interval '1 millisecond' * $4, updated_at = now()
       WHERE id = $1`,
      [id, newId(), await encryptWebhookSecret(encryption, id, newWebhookSecret()), SECRET_OVERLAP_MS],
    );
    await recordCommand(client, { name: 'rotate-webhook-secret', corporateId, resourceIds: [id] });
  });
}
