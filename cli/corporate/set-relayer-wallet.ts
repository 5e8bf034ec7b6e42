import type { Address } from 'viem';
import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';
import type { AccountStores } from './upsert-account.ts';
import { requireUnusedWallet } from './require-unused-wallet.ts';
import { ensureWalletSecret, walletSecretId } from './wallet-secret.ts';
import { kmsWallet } from './wallet-signer.ts';

/**
 * Gives an account another wallet that pays for its relayed requests, or none, so that the main wallet pays. Orders
 * that were accepted for the wallet before stay with it: its key remains where it is. A new key is stored before the
 * wallet, and a retry after a crash in between uses the stored key.
 * @param choice `new`, with its key in the secrets store; `none`; or the ARN of a key in KMS.
 * @throws when the account does not exist, a store rejects the request, or the key is that of another wallet in use.
 */
export async function setRelayerWallet(
  corporateId: string,
  choice: string,
  { databaseUrl, secrets, environment }: AccountStores,
): Promise<Address | undefined> {
  const key = choice === 'new' || choice === 'none' ? undefined : await kmsWallet(secrets, choice);
  return await inTransaction(databaseUrl, async (client) => {
    const accounts = await client.query<{ id: string; wallet: Address }>(
      'SELECT id, wallet_address AS wallet FROM corporate_accounts WHERE corporate_id = $1 FOR NO KEY UPDATE',
      [corporateId],
    );
    const [account] = accounts.rows;
    if (account === undefined) throw new Error(`There is no account ${corporateId}`);
    if (key?.address === account.wallet) {
      throw new Error("The key is the main wallet's; to pay with it, use --relayer-wallet none");
    }
    // A statement of its own: one that waits for the lock does not see what its holder has inserted.
    const wallets = await client.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM relayer_wallets WHERE corporate_account_id = $1',
      [account.id],
    );
    const secretId =
      key?.keyId ?? walletSecretId(environment, corporateId, `relayer-${(wallets.rows[0]?.count ?? 0) + 1}`);
    const address = choice === 'new' ? await ensureWalletSecret(secrets, secretId) : key?.address;
    await client.query(
      'UPDATE relayer_wallets SET replaced_at = now() WHERE corporate_account_id = $1 AND replaced_at IS NULL',
      [account.id],
    );
    if (address !== undefined) {
      await requireUnusedWallet(client, corporateId, address, 'relayer');
      await client.query(
        `INSERT INTO relayer_wallets (address, corporate_account_id, secret_id) VALUES ($1, $2, $3)
         ON CONFLICT (address) DO UPDATE SET replaced_at = NULL, secret_id = excluded.secret_id`,
        [address, account.id, secretId],
      );
    }
    await recordCommand(client, { name: 'relayer-wallet', corporateId, input: { choice }, resourceIds: [account.id] });
    return address;
  });
}
