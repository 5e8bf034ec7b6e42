import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { z } from 'zod';
import { newId } from '../../src/http/ids.ts';
import { newWebhookSecret } from './rotate-webhook-secret.ts';
import { ensureWalletSecret, type SecretsSettings } from './wallet-secret.ts';

/** Which part of the secrets store an account's key is in. */
export type AccountEnvironment = 'dev' | 'prod';

/** What an operator may say of an account. What is absent stays as it is. */
export interface AccountRequest {
  /** Required for an account that does not exist yet. */
  readonly name?: string | undefined;
  /** A random one is made when it is absent. */
  readonly corporateId?: string | undefined;
  readonly webhookUrl?: string | undefined;
}

export interface AccountStores {
  readonly databaseUrl: string;
  readonly secrets: SecretsSettings;
  readonly environment: AccountEnvironment;
}

const accountSchema = z.object({
  _id: z.string(),
  corporateId: z.string(),
  walletAddress: z.string(),
  secretManagerKeyId: z.string(),
  webhookSecret: z.string(),
});
/** An account, as its operator gets to know it. */
export type CreatedAccount = z.output<typeof accountSchema>;

const COLUMNS = `id AS "_id", corporate_id AS "corporateId", wallet_address AS "walletAddress",
  secret_manager_key_id AS "secretManagerKeyId", webhook_secret AS "webhookSecret"`;

const UPDATE = `
  UPDATE corporate_accounts SET
    corporate_name = coalesce($2, corporate_name), webhook_url = coalesce($3, webhook_url), updated_at = now()
  WHERE corporate_id = $1 RETURNING ${COLUMNS}`;

// Another operator may have added it since the update found nothing.
const INSERT = `
  INSERT INTO corporate_accounts
    (id, corporate_id, corporate_name, webhook_url, secret_manager_key_id, wallet_address, webhook_secret)
  VALUES ($1, $2, $3, $4, $5, $6, $7)
  ON CONFLICT (corporate_id) DO UPDATE SET
    corporate_name = excluded.corporate_name,
    webhook_url = coalesce(excluded.webhook_url, corporate_accounts.webhook_url),
    updated_at = now()
  RETURNING ${COLUMNS}`;

/**
 * Makes a corporate account, with a wallet whose key goes to the secrets store, or changes what the request names of the one that has this
 * corporateId: its name and its webhook URL, never its wallet. The key is stored before the account: asked again after a crash in
 * between, it uses the key that is there.
 * @throws when a new account has no name, or one of the stores refuses.
 */
export async function upsertAccount(request: AccountRequest, stores: AccountStores): Promise<CreatedAccount> {
  const { name = null, corporateId = randomUUID(), webhookUrl = null } = request;
  const client = new Client({ connectionString: stores.databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const updated = await client.query(UPDATE, [corporateId, name, webhookUrl]);
    if (updated.rows.length > 0) return accountSchema.parse(updated.rows[0]);
    if (name === null) throw new Error(`There is no account ${corporateId} yet; a new one needs a name`);

    const secretId = `/dapp/${stores.environment}/corp/${corporateId}/wallet`;
    const walletAddress = await ensureWalletSecret(stores.secrets, secretId);
    const inserted = await client.query(INSERT, [
      newId(),
      corporateId,
      name,
      webhookUrl,
      secretId,
      walletAddress,
      newWebhookSecret(),
    ]);
    return accountSchema.parse(inserted.rows[0]);
  } finally {
    await client.end();
  }
}
