import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { z } from 'zod';
import type { Environment } from '../../src/platform/environment.ts';
import { newId } from '../../src/core/ids.ts';
import { inTransaction } from './in-transaction.ts';
import { recordCommand } from './record-command.ts';
import { newWebhookSecret } from './rotate-webhook-secret.ts';
import { ensureWalletSecret, type SecretsSettings, walletSecretId } from './wallet-secret.ts';

/** The fields of an account that an operator may set. Absent fields are not changed. */
export interface AccountRequest {
  /** Required for a new account. */
  readonly name?: string | undefined;
  /** Default: a random one. */
  readonly corporateId?: string | undefined;
  readonly webhookUrl?: string | undefined;
  /** Default for a new account: ACTIVE. */
  readonly status?: 'ACTIVE' | 'INACTIVE' | undefined;
  /** Default for a new account: DEDICATED. */
  readonly walletLinkType?: string | undefined;
  /** Free-form; replaces the stored value. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface AccountStores {
  readonly databaseUrl: string;
  readonly secrets: SecretsSettings;
  /** Determines the path of the keys in the secrets store. */
  readonly environment: Environment;
}

const accountSchema = z.object({
  _id: z.string(),
  corporateId: z.string(),
  walletAddress: z.string(),
  secretManagerKeyId: z.string(),
  webhookSecret: z.string(),
});
/** An account, as shown to its operator. */
export type CreatedAccount = z.output<typeof accountSchema>;

const COLUMNS = `id AS "_id", corporate_id AS "corporateId", wallet_address AS "walletAddress",
  secret_manager_key_id AS "secretManagerKeyId", webhook_secret AS "webhookSecret"`;

// Absent fields are null.
const UPDATE = `
  UPDATE corporate_accounts SET
    corporate_name = coalesce($2, corporate_name), webhook_url = coalesce($3, webhook_url), status = coalesce($4, status),
    wallet_link_type = coalesce($5, wallet_link_type), metadata = coalesce($6::jsonb, metadata),
    updated_at = CASE WHEN num_nulls($2, $3, $4, $5, $6) = 5 THEN updated_at ELSE now() END
  WHERE corporate_id = $1 RETURNING ${COLUMNS}`;

// If another operator has added the account in the meantime, it is updated instead.
const INSERT = `
  INSERT INTO corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address, webhook_secret)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (corporate_id) DO NOTHING`;

/**
 * Creates a corporate account with a wallet whose key is in the secrets store, or updates the account with this corporateId; the wallet
 * never changes. The key is stored before the account, and a retry after a crash in between uses the stored key.
 * @throws when a new account has no name, or a store rejects the request.
 */
export async function upsertAccount(request: AccountRequest, stores: AccountStores): Promise<CreatedAccount> {
  const { name = null, corporateId = randomUUID(), webhookUrl = null, status = null, walletLinkType = null } = request;
  const metadata = request.metadata === undefined ? null : JSON.stringify(request.metadata);
  const fields = [name, webhookUrl, status, walletLinkType, metadata];
  const update = async (client: Client) => {
    const { rows } = await client.query(UPDATE, [corporateId, ...fields]);
    const account = rows[0] === undefined ? undefined : accountSchema.parse(rows[0]);
    if (account !== undefined && fields.some((field) => field !== null)) {
      await recordCommand(client, { name: 'account', corporateId, input: request, resourceIds: [account._id] });
    }
    return account;
  };
  const existing = await inTransaction(stores.databaseUrl, update);
  if (existing !== undefined) return existing;
  if (name === null) throw new Error(`The account ${corporateId} does not exist; a new one needs a name`);

  const secretId = walletSecretId(stores.environment, corporateId);
  const walletAddress = await ensureWalletSecret(stores.secrets, secretId);
  return await inTransaction(stores.databaseUrl, async (client) => {
    await client.query(INSERT, [newId(), corporateId, name, secretId, walletAddress, newWebhookSecret()]);
    const created = await update(client);
    if (created === undefined) throw new Error(`The account ${corporateId} was not stored`);
    return created;
  });
}
