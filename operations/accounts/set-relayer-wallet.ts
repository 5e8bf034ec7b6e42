import type { Address } from 'viem';
import { inTransaction } from '../in-transaction.ts';
import { recordCommand } from '../record-command.ts';
import type { AccountStores } from './upsert-account.ts';
import { ensureWalletSecret, walletSecretId } from './wallet-secret.ts';

/**
 * Gives an account a new wallet that pays for its relayed requests, or none, so that the main wallet pays. Orders that were accepted for the
 * wallet before stay with it: its key remains in the secrets store. The key is stored before the wallet, and a retry after a crash in
 * between uses the stored key.
 * @throws when the account does not exist, or a store rejects the request.
 */
export async function setRelayerWallet(
  corporateId: string,
  choice: 'new' | 'none',
  { databaseUrl, secrets, environment }: AccountStores,
): Promise<Address | undefined> {
  return await inTransaction(databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string; wallets: number }>(
      `SELECT a.id, (SELECT count(*)::int FROM relayer_wallets w WHERE w.corporate_account_id = a.id) AS wallets
       FROM corporate_accounts a WHERE a.corporate_id = $1 FOR NO KEY UPDATE`,
      [corporateId],
    );
    const [account] = rows;
    if (account === undefined) throw new Error(`There is no account ${corporateId}`);
    const secretId = walletSecretId(environment, corporateId, `relayer-${account.wallets + 1}`);
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
