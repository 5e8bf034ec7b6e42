import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { z } from 'zod';
import type { Environment } from '../../src/platform/environment.ts';
import { decryptWebhookSecret, encryptWebhookSecret, newWebhookSecret } from '../../src/accounts/webhook-secret.ts';
import { newId } from '../../src/core/record-id.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';
import { requireUnusedWallet } from './require-unused-wallet.ts';
import { setMainKey } from './set-main-key.ts';
import { kmsWallet } from './wallet-signer.ts';
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
  /** The ARN of the key in KMS that signs for the main wallet. Default for a new account: a secret with a new key. */
  readonly kmsKey?: string | undefined;
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
  /** The wallet that pays for relayed requests; absent if `walletAddress` does. */
  relayerAddress: z.string().optional(),
});
const rowSchema = accountSchema.extend({
  relayerAddress: z.string().nullable(),
  endpointId: z.string(),
  storedSecret: z.string(),
});
/** An account, as shown to its operator. */
export type CreatedAccount = z.output<typeof accountSchema> & { readonly webhookSecret: string };

// Absent fields are null.
const UPDATE = `
  WITH account AS (
    UPDATE corporate_accounts SET
      corporate_name = coalesce($2, corporate_name), status = coalesce($3, status),
      wallet_link_type = coalesce($4, wallet_link_type), metadata = coalesce($5::jsonb, metadata),
      updated_at = CASE WHEN num_nulls($2, $3, $4, $5) = 4 THEN updated_at ELSE now() END
    WHERE corporate_id = $1 RETURNING *
  ), endpoint AS (
    UPDATE webhook_endpoints p SET url = coalesce($6, p.url),
      updated_at = CASE WHEN $6::text IS NULL THEN p.updated_at ELSE now() END
    FROM account a WHERE p.corporate_account_id = a.id AND p.managed_by = 'operator' RETURNING p.*
  )
  SELECT a.id AS "_id", a.corporate_id AS "corporateId", a.wallet_address AS "walletAddress",
    a.secret_manager_key_id AS "secretManagerKeyId", (
      SELECT w.address FROM relayer_wallets w WHERE w.corporate_account_id = a.id AND w.replaced_at IS NULL
    ) AS "relayerAddress", p.id AS "endpointId", p.secret AS "storedSecret"
  FROM account a JOIN endpoint p ON p.corporate_account_id = a.id`;

// If another operator has added the account in the meantime, it is updated instead.
const INSERT = `
  INSERT INTO corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (corporate_id) DO NOTHING`;

const INSERT_ENDPOINT = `
  INSERT INTO webhook_endpoints (id, corporate_account_id, managed_by, secret_id, secret)
  SELECT $2, a.id, 'operator', $3, $4 FROM corporate_accounts a WHERE a.corporate_id = $1
  ON CONFLICT DO NOTHING`;

/**
 * Creates a corporate account with a wallet whose key is in the secrets store, or in KMS, or updates the account with
 * this corporateId. A new key is stored before the account, and a retry after a crash in between uses the stored key.
 * @throws when a new account has no name, a store rejects the request, or the wallet would change as
 *   {@link setMainKey} does not allow.
 */
export async function upsertAccount(request: AccountRequest, stores: AccountStores): Promise<CreatedAccount> {
  const { name = null, corporateId = randomUUID(), webhookUrl = null, status = null, walletLinkType = null } = request;
  const metadata = request.metadata === undefined ? null : JSON.stringify(request.metadata);
  const encryption = createEncryption(stores.secrets.ENCRYPTION_KEYS);
  const fields = [name, status, walletLinkType, metadata, webhookUrl];
  const update = async (client: Client): Promise<CreatedAccount | undefined> => {
    const { rows } = await client.query(UPDATE, [corporateId, ...fields]);
    if (rows[0] === undefined) return undefined;
    const { endpointId, storedSecret, relayerAddress, ...account } = rowSchema.parse(rows[0]);
    if (fields.some((field) => field !== null)) {
      await recordCommand(client, { name: 'account', corporateId, input: request, resourceIds: [account._id] });
    }
    return {
      ...account,
      ...(relayerAddress === null ? {} : { relayerAddress }),
      webhookSecret: await decryptWebhookSecret(encryption, endpointId, storedSecret),
    };
  };
  const key = request.kmsKey === undefined ? undefined : await kmsWallet(stores.secrets, request.kmsKey);
  const existing = await inTransaction(stores.databaseUrl, async (client) => {
    if (key !== undefined) await setMainKey(client, corporateId, key);
    return await update(client);
  });
  if (existing !== undefined) return existing;
  if (name === null) throw new Error(`The account ${corporateId} does not exist; a new one needs a name`);

  const secretId = key?.keyId ?? walletSecretId(stores.environment, corporateId);
  const walletAddress = key?.address ?? (await ensureWalletSecret(stores.secrets, secretId));
  return await inTransaction(stores.databaseUrl, async (client) => {
    await requireUnusedWallet(client, corporateId, walletAddress, 'main');
    await client.query(INSERT, [newId(), corporateId, name, secretId, walletAddress]);
    await insertEndpoint(client, corporateId, stores.secrets);
    const created = await update(client);
    if (created === undefined) throw new Error(`The account ${corporateId} was not stored`);
    return created;
  });
}

/** Gives an account the webhook endpoint that its operator manages, unless it has one. */
export async function insertEndpoint(
  client: Client,
  corporateId: string,
  { ENCRYPTION_KEYS: keys }: Pick<SecretsSettings, 'ENCRYPTION_KEYS'>,
): Promise<void> {
  const endpointId = newId();
  const secret = await encryptWebhookSecret(createEncryption(keys), endpointId, newWebhookSecret());
  await client.query(INSERT_ENDPOINT, [corporateId, endpointId, newId(), secret]);
}
