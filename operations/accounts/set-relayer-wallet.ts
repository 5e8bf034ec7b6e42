import type { Address } from 'viem';
import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';
import type { AccountStores } from './upsert-account.ts';
import { ensureWalletSecret, walletSecretId } from './wallet-secret.ts';

/**
 * Gives an account a new wallet that pays for its relayed requests, or none, so that the main wallet pays. Orders that
 * were accepted for the wallet before stay with it: its key remains in the secrets store. The key is stored before the
 * wallet, and a retry after a crash in between uses the stored key.
 * @throws when the account does not exist, or a store rejects the request.
 */
export async function setRelayerWallet(
  corporateId: string,
  choice: 'new' | 'none',
  { databaseUrl, secrets, environment }: AccountStores,
): Promise<Address | undefined> {
  return await inTransaction(databaseUrl, async (client) => {
    const accounts = await client.query<{ id: string }>(
      'SELECT id FROM corporate_accounts WHERE corporate_id = $1 FOR NO KEY UPDATE',
      [corporateId],
    );
    const [account] = accounts.rows;
    if (account === undefined) throw new Error(`There is no account ${corporateId}`);
    // A statement of its own: one that waits for the lock does not see what its holder has inserted.
    const wallets = await client.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM relayer_wallets WHERE corporate_account_id = $1',
      [account.id],
    );
    const secretId = walletSecretId(environment, corporateId, `relayer-${(wallets.rows[0]?.count ?? 0) + 1}`);
    const address = choice === 'new' ? await ensureWalletSecret(secrets, secretId) : undefined;
    await client.query(
      'UPDATE relayer_wallets SET replaced_at = now() WHERE corporate_account_id = $1 AND replaced_at IS NULL',
      [account.id],
    );
    if (address !== undefined) {
      await client.query('INSERT INTO relayer_wallets (address, corporate_account_id, secret_id) VALUES ($1, $2, $3)', [
        address,
        account.id,
        secretId,
      ]);
    }
    await recordCommand(client, { name: 'relayer-wallet', corporateId, input: { choice }, resourceIds: [account.id] });
    return address;
  });
}
