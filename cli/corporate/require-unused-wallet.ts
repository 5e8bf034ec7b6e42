import type { Client } from 'pg';

/**
 * Makes sure that a wallet that an account has or gets is nobody else's. Until the transaction ends, no other one
 * decides the same.
 * @param use Of the wallet, in the account.
 * @throws when it is another account's main or relayer wallet, or a main wallet would be the account's relayer wallet
 *   too.
 */
export async function requireUnusedWallet(
  client: Client,
  corporateId: string,
  address: string,
  use: 'main' | 'relayer',
): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('wallets'))`);
  // A statement of its own: one that waits for the lock does not see what its holder has changed.
  const { rowCount } = await client.query(
    `SELECT FROM corporate_accounts a LEFT JOIN relayer_wallets w ON w.corporate_account_id = a.id AND w.address = $2
     WHERE (a.corporate_id <> $1 AND (a.wallet_address = $2 OR w.address = $2))
       OR (a.corporate_id = $1 AND $3 = 'main' AND w.address = $2 AND w.replaced_at IS NULL)
     LIMIT 1`,
    [corporateId, address, use],
  );
  if (rowCount !== 0) throw new Error(`${address} is also the wallet of another account, or a relayer's`);
}
