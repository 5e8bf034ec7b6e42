import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** How long the old secret signs beside the new one, so that a receiver can change over without losing an event. */
const OVERLAP = '24 hours';

/** A signing secret as Standard Webhooks writes it. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * Gives an account a new webhook secret. For 24 hours both sign; a secret that was kept from an earlier rotation stops at once.
 * @throws when there is no such account.
 */
export async function rotateWebhookSecret(corporateId: string, databaseUrl: string): Promise<void> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query(
      `UPDATE corporate_accounts SET webhook_secret = $2, webhook_secret_previous = webhook_secret,
         webhook_secret_previous_expires_at = now() + $3::interval, updated_at = now()
       WHERE corporate_id = $1`,
      [corporateId, newWebhookSecret(), OVERLAP],
    );
    if (rowCount === 0) throw new Error(`There is no account ${corporateId}`);
  } finally {
    await client.end();
  }
}
