import type { Client } from 'pg';
import type { Address } from 'viem';
import { recordCommand } from '../record-command.ts';
import type { MovedContract } from './move-on-chain.ts';
import { requireUnusedWallet } from './require-unused-wallet.ts';
import type { Wallet } from './wallet-signer.ts';

/** An account whose main wallet is moved. */
export interface MovedAccount extends Wallet {
  readonly id: string;
  readonly corporateId: string;
  readonly isPaused: boolean;
}

const SELECT_ACCOUNT = `
  SELECT id, corporate_id AS "corporateId", secret_manager_key_id AS "keyId", wallet_address AS address,
    paused_at IS NOT NULL AS "isPaused"
  FROM corporate_accounts WHERE corporate_id = $1`;

/** @throws when there is no such account. */
export async function readMovedAccount(client: Client, corporateId: string, lock = ''): Promise<MovedAccount> {
  const { rows } = await client.query<MovedAccount>(`${SELECT_ACCOUNT} ${lock}`, [corporateId]);
  const [account] = rows;
  if (account === undefined) throw new Error(`There is no account ${corporateId}`);
  return account;
}

/** The chains on which an account has ordered something. */
export async function chainsOf(client: Client, { id }: MovedAccount): Promise<string[]> {
  const { rows } = await client.query<{ chainId: string }>(
    `SELECT chain_id AS "chainId" FROM contracts WHERE corporate_account_id = $1
     UNION SELECT chain_id FROM orders WHERE corporate_account_id = $1 ORDER BY 1`,
    [id],
  );
  return rows.map(({ chainId }) => chainId);
}

/** The contracts of an account on a chain that have an owner, without those that stay with the former wallet. */
export async function contractsOf(
  client: Client,
  { id, address }: MovedAccount,
  chainId: string,
  left: readonly Address[],
): Promise<MovedContract[]> {
  const { rows } = await client.query<MovedContract>(
    `SELECT contract_address AS address, coalesce(lower(current_owner_address) = lower($3), false) AS "isOwn" FROM contracts
     WHERE corporate_account_id = $1 AND chain_id = $2 AND status = 'ACTIVE' AND erc_standard <> 'Forwarder'
       AND contract_address <> ALL ($4)
     ORDER BY id`,
    [id, chainId, address, lowerCased(left)],
  );
  return rows;
}

function lowerCased(addresses: readonly Address[]): string[] {
  return addresses.map((address) => address.toLowerCase());
}

/**
 * @returns how many transactions of a wallet may still be mined, or be reorganized out. Bundles go on in a pause: they
 *   fill nonces.
 */
export async function underWay(client: Client, { address }: Wallet, chainIds: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int FROM orders
     WHERE wallet_address = $1 AND chain_id = ANY($2)
       AND (state = 'signed' OR state = 'waiting' AND kind = 'bundle' OR state = 'confirmed' AND NOT is_final)`,
    [address.toLowerCase(), chainIds],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Gives an account its new main wallet, which takes over what is not signed. The former one is kept among the relayer
 * wallets, as replaced since it was added: what it has signed is compared with the chain after a restore, and its coins
 * are shown.
 * @param left Contracts that stay with the former wallet.
 * @throws when another command has changed the wallet or uses the new one, or the account is not paused.
 */
export async function switchWallet(
  client: Client,
  from: MovedAccount,
  to: Wallet,
  left: readonly Address[],
): Promise<void> {
  const account = await readMovedAccount(client, from.corporateId, 'FOR UPDATE');
  if (account.address !== from.address) throw new Error(`The wallet has become ${account.address} in the meantime`);
  requirePaused(account);
  await requireUnusedWallet(client, account.corporateId, to.address, 'main');
  await client.query(
    'UPDATE corporate_accounts SET wallet_address = $2, secret_manager_key_id = $3, updated_at = now() WHERE id = $1',
    [account.id, to.address, to.keyId],
  );
  // Back to a former wallet: it is none any more.
  await client.query('DELETE FROM relayer_wallets WHERE address = $1 AND corporate_account_id = $2', [
    to.address,
    account.id,
  ]);
  await client.query(
    `INSERT INTO relayer_wallets (address, corporate_account_id, secret_id, created_at, replaced_at)
     VALUES ($1, $2, $3, now(), now())
     ON CONFLICT (address) DO UPDATE SET secret_id = excluded.secret_id, created_at = now(), replaced_at = now()`,
    [from.address, account.id, from.keyId],
  );
  await client.query(
    `UPDATE contracts SET current_owner_address = $3, updated_at = now()
     WHERE corporate_account_id = $1 AND lower(current_owner_address) = lower($2)
       AND coalesce(contract_address <> ALL ($4), true)`,
    [account.id, from.address, to.address, lowerCased(left)],
  );
  await takeOver(client, account);
  const input = { from: from.address, to };
  await recordCommand(client, {
    name: 'move-wallet',
    corporateId: from.corporateId,
    input,
    resourceIds: [account.id],
  });
}

/** @throws unless an account is paused. */
export function requirePaused({ corporateId, isPaused }: MovedAccount): void {
  if (isPaused) return;
  throw new Error(
    `The account ${corporateId} is not paused: POST /admin/accounts/${corporateId}/pause, or the console, and then again`,
  );
}

/**
 * Lets the main wallet of an account sign what was accepted for former ones and is not signed.
 * @returns how many transactions that are.
 */
export async function takeOver(client: Client, { id }: MovedAccount): Promise<number> {
  const { rowCount } = await client.query(
    `UPDATE orders t SET wallet_address = lower(a.wallet_address), version = t.version + 1, updated_at = now()
     FROM corporate_accounts a
     WHERE a.id = $1 AND t.corporate_account_id = a.id AND t.state = 'waiting' AND t.kind <> 'bundle'
       AND t.wallet_address IN (
         SELECT lower(address) FROM relayer_wallets WHERE corporate_account_id = $1 AND replaced_at = created_at)`,
    [id],
  );
  return rowCount ?? 0;
}

/** @returns how long ago the main wallet was switched, in milliseconds; undefined: never. */
export async function sinceSwitch(client: Client, { id }: MovedAccount): Promise<number | undefined> {
  const { rows } = await client.query<{ age: number | null }>(
    `SELECT (extract(epoch FROM now() - max(replaced_at)) * 1000)::float8 AS age
     FROM relayer_wallets WHERE corporate_account_id = $1 AND replaced_at = created_at`,
    [id],
  );
  return rows[0]?.age ?? undefined;
}
