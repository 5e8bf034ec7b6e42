import { Client } from 'pg';
import { z } from 'zod';
import { decryptWebhookSecret } from '../../src/accounts/webhook-secret.ts';
import { newId } from '../../src/core/record-id.ts';
import { isDelivered, send } from '../../src/webhooks/send.ts';
import { targetIssue } from '../../src/platform/egress/target-issue.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import type { AccountStores } from './upsert-account.ts';

const TIMEOUT_SECONDS = 15;

const rowSchema = z.object({
  id: z.string(),
  url: z.string().nullable(),
  secret: z.string(),
  previousSecret: z.string().nullable(),
});

/** The result of a test event. */
export interface TestDelivery {
  readonly webhookId: string;
  readonly target: string;
  readonly delivered: boolean;
  /** The response status, or why there is none, in words. */
  readonly outcome: string;
}

export interface TestSettings {
  readonly stores: AccountStores;
  /** The URL for accounts without their own. */
  readonly defaultTarget: string | undefined;
  /** Development setting: also allows http and private addresses. */
  readonly allowPrivate: boolean;
}

/**
 * Sends an event of type `webhook.test` to an account's webhook URL, signed as the service signs its events. It is sent
 * once, from this machine and not through the service's queue, so that the operator sees the response at once. Nothing
 * is stored.
 * @throws when the account does not exist or has no webhook URL.
 */
export async function sendTestEvent(corporateId: string, settings: TestSettings): Promise<TestDelivery> {
  const { url, secrets } = await webhookOf(corporateId, settings.stores);
  const target = url ?? settings.defaultTarget;
  if (target === undefined) throw new Error(`The account ${corporateId} has no webhook URL`);
  const webhookId = `evt_${newId()}`;
  const issue = targetIssue(target, settings.allowPrivate);
  if (issue !== undefined) return { webhookId, target, delivered: false, outcome: `not sent: the URL ${issue}` };

  const at = new Date();
  const payload = JSON.stringify({ type: 'webhook.test', timestamp: at.toISOString(), data: { corporateId } });
  const response = await send(target, { id: webhookId, at, payload, secrets, trace: null }, TIMEOUT_SECONDS);
  const outcome = 'statusCode' in response ? `answered ${response.statusCode}` : response.error;
  return { webhookId, target, delivered: isDelivered(response), outcome };
}

/** The account's webhook, with the secrets that sign. */
async function webhookOf(corporateId: string, { databaseUrl, secrets: { ENCRYPTION_KEYS: keys } }: AccountStores) {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT p.id, p.url, p.secret,
         CASE WHEN p.secret_previous_expires_at > now() THEN p.secret_previous END AS "previousSecret"
       FROM corporate_accounts a JOIN webhook_endpoints p ON p.corporate_account_id = a.id AND p.managed_by = 'operator'
       WHERE a.corporate_id = $1`,
      [corporateId],
    );
    if (rows.length === 0) throw new Error(`There is no account ${corporateId}`);
    const { id, url, secret, previousSecret } = rowSchema.parse(rows[0]);
    const decrypt = (stored: string) => decryptWebhookSecret(createEncryption(keys), id, stored);
    const newest = await decrypt(secret);
    const secrets = previousSecret === null ? ([newest] as const) : ([newest, await decrypt(previousSecret)] as const);
    return { url, secrets };
  } finally {
    await client.end();
  }
}
