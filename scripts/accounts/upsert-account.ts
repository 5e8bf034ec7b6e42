import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { z } from 'zod';
import type { Environment } from '../../src/platform/environment.ts';
import { newId } from '../../src/core/ids.ts';
import { newWebhookSecret } from './rotate-webhook-secret.ts';
import { ensureWalletSecret, type SecretsSettings, walletSecretId } from './wallet-secret.ts';

/** What an operator may set on an account. What is absent stays as it is. */
export interface AccountRequest {
  /** Required for an account that does not exist yet. */
  readonly name?: string | undefined;
  /** A random one is made when it is absent. */
  readonly corporateId?: string | undefined;
  readonly webhookUrl?: string | undefined;
  /** A new account is ACTIVE when it is absent. */
  readonly status?: 'ACTIVE' | 'INACTIVE' | undefined;
  /** DEDICATED when it is absent for a new account. */
  readonly walletLinkType?: string | undefined;
  /** Free-form; replaces what is stored. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface AccountStores {
  readonly databaseUrl: string;
  readonly secrets: SecretsSettings;
  /** Where the service runs: decides which part of the secrets store the keys are in. */
  readonly environment: Environment;
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

// The parameters that an operator may set are null where they are absent.
const UPDATE = `
  UPDATE corporate_accounts SET
    corporate_name = coalesce($2, corporate_name), webhook_url = coalesce($3, webhook_url), status = coalesce($4, status),
    wallet_link_type = coalesce($5, wallet_link_type), metadata = coalesce($6::jsonb, metadata),
    updated_at = CASE WHEN num_nulls($2, $3, $4, $5, $6) = 5 THEN updated_at ELSE now() END
  WHERE corporate_id = $1 RETURNING ${COLUMNS}`;

// When another operator has added it in the meantime, the row comes back unchanged and is then updated.
const INSERT = `
  INSERT INTO corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address, webhook_secret)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (corporate_id) DO NOTHING`;

/**
 * Creates a corporate account, with a wallet whose key goes to the secrets store, or changes what the request names of the one that has
 * this corporateId, and never its wallet. The key is stored before the account: asked again after a crash in between, it
 * uses the key that is there.
 * @throws when a new account has no name, or one of the stores refuses.
 */
export async function upsertAccount(request: AccountRequest, stores: AccountStores): Promise<CreatedAccount> {
  const { name = null, corporateId = randomUUID(), webhookUrl = null, status = null, walletLinkType = null } = request;
  const metadata = request.metadata === undefined ? null : JSON.stringify(request.metadata);
  const client = new Client({ connectionString: stores.databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const update = async () =>
      (await client.query(UPDATE, [corporateId, name, webhookUrl, status, walletLinkType, metadata])).rows;
    const [known] = await update();
    if (known !== undefined) return accountSchema.parse(known);
    if (name === null) throw new Error(`There is no account ${corporateId} yet; a new one needs a name`);

    const secretId = walletSecretId(stores.environment, corporateId);
    const walletAddress = await ensureWalletSecret(stores.secrets, secretId);
    await client.query('BEGIN');
    await client.query(INSERT, [newId(), corporateId, name, secretId, walletAddress, newWebhookSecret()]);
    const [created] = await update();
    await client.query('COMMIT');
    return accountSchema.parse(created);
  } finally {
    await client.end();
  }
}
