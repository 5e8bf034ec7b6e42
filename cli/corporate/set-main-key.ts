import type { Client } from 'pg';
import { recordCommand } from '../record-command.ts';
import { requireUnusedWallet } from './require-unused-wallet.ts';
import type { Wallet } from './wallet-signer.ts';

/**
 * Lets a key in KMS sign for the main wallet of an account, if there is one: the key of the same wallet, imported into
 * KMS, or while the account has ordered nothing any other.
 * @throws when the account has orders or contracts: they stay with their wallet; or the wallet is another one's too.
 */
export async function setMainKey(client: Client, corporateId: string, { keyId, address }: Wallet): Promise<void> {
  const { rows } = await client.query<{ id: string; wallet: string; keyId: string; isUsed: boolean }>(
    `SELECT id, wallet_address AS wallet, secret_manager_key_id AS "keyId",
       EXISTS (SELECT FROM orders t WHERE t.corporate_account_id = a.id)
       OR EXISTS (SELECT FROM contracts c WHERE c.corporate_account_id = a.id) AS "isUsed"
     FROM corporate_accounts a WHERE corporate_id = $1 FOR UPDATE`,
    [corporateId],
  );
  const [account] = rows;
  if (account === undefined || account.keyId === keyId) return;
  if (account.isUsed && account.wallet !== address) {
    throw new Error(
      `The account ${corporateId} has orders or contracts of its wallet ${account.wallet}, and the key is that of ${address}: use --move-wallet`,
    );
  }
  await requireUnusedWallet(client, corporateId, address, 'main');
  await client.query(
    'UPDATE corporate_accounts SET wallet_address = $2, secret_manager_key_id = $3, updated_at = now() WHERE id = $1',
    [account.id, address, keyId],
  );
  await recordCommand(client, { name: 'kms-key', corporateId, input: { keyId }, resourceIds: [account.id] });
}
