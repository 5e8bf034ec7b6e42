import type { Client } from 'pg';
import type { Address, Hex } from 'viem';
import type { CreatedContract } from '../../src/catalog/contracts/creation-call.ts';

/** The account whose records are exported. */
export interface ExportedAccount {
  readonly id: string;
  /** What the public knows it by. */
  readonly issuerId: string;
  /** What the operator has confirmed; null: nothing. */
  readonly issuer: {
    readonly name: string;
    readonly logoUrl: string;
    readonly domain: string;
    readonly confirmedAt: string;
  } | null;
  /** Its main wallets, now and before. */
  readonly wallets: readonly Address[];
}

/** @throws when there is no such account. */
export async function readAccount(client: Client, corporateId: string): Promise<ExportedAccount> {
  const { rows } = await client.query<ExportedAccount>(
    `SELECT a.id, a.issuer_id AS "issuerId",
       CASE WHEN a.issuer_confirmed_at IS NOT NULL THEN json_build_object('name', a.issuer_name, 'logoUrl', a.issuer_logo_url,
         'domain', a.issuer_domain, 'confirmedAt', to_char(a.issuer_confirmed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) END AS issuer,
       ARRAY(SELECT lower(address) FROM (
         SELECT a.wallet_address AS address
         UNION SELECT w.address FROM relayer_wallets w WHERE w.corporate_account_id = a.id AND w.replaced_at = w.created_at) all_of_them
         ORDER BY 1) AS wallets
     FROM corporate_accounts a WHERE a.corporate_id = $1`,
    [corporateId],
  );
  const [account] = rows;
  if (account === undefined) throw new Error(`There is no account ${corporateId}`);
  return account;
}

/** A contract that issues tokens. */
export interface ExportedContract {
  readonly chainId: string;
  readonly address: Address;
  readonly isCertificate: boolean;
  readonly contract: CreatedContract;
  /** The forwarder that it trusts; null if there is none, or the service has not deployed it. */
  readonly forwarder: CreatedContract | null;
}

/** What of a contract's record its creation depends on. */
const created = (row: string) => `json_build_object('id', ${row}.id, 'name', ${row}.name, 'symbol', ${row}.symbol,
  'ercStandard', ${row}.erc_standard, 'contractType', ${row}.contract_type, 'contractAddress', ${row}.contract_address,
  'currentOwnerAddress', ${row}.current_owner_address, 'trustedForwarder', ${row}.trusted_forwarder,
  'metadataBaseUri', ${row}.metadata_base_uri, 'burnAuth', ${row}.burn_auth,
  'royaltyReceiver', ${row}.royalty_receiver, 'royaltyFeeBps', ${row}.royalty_fee_bps)`;

export async function readContracts(client: Client, accountId: string): Promise<ExportedContract[]> {
  const { rows } = await client.query<ExportedContract>(
    `SELECT c.chain_id AS "chainId", c.contract_address AS address, c.contract_type = 'certificate' AS "isCertificate",
       ${created('c')} AS contract, CASE WHEN f.id IS NOT NULL THEN ${created('f')} END AS forwarder
     FROM contracts c LEFT JOIN contracts f ON f.contract_address = lower(c.trusted_forwarder) AND f.chain_id = c.chain_id
     WHERE c.corporate_account_id = $1 AND c.status = 'ACTIVE' AND c.erc_standard <> 'Forwarder'
     ORDER BY c.contract_address, c.chain_id`,
    [accountId],
  );
  return rows;
}

/** The document of a token, as the public endpoint serves it. */
export interface ExportedDocument {
  readonly chainId: string;
  readonly contractAddress: Address;
  readonly tokenId: string;
  readonly document: object;
  /** Of a certificate; null for any other token. */
  readonly hash: Hex | null;
}

const PAGE = 1_000;

/** The documents of all tokens of an account, in the order of their contracts and ids. */
export async function* readDocuments(client: Client, accountId: string): AsyncGenerator<readonly ExportedDocument[]> {
  let after: readonly [string, string] = ['', ''];
  for (;;) {
    const { rows } = await client.query<ExportedDocument>(
      `SELECT DISTINCT ON (m.contract_address, m.token_id) m.chain_id AS "chainId", m.contract_address AS "contractAddress",
         m.token_id AS "tokenId", m.standard_fields AS document, m.metadata_hash AS hash
       FROM metadata m
       WHERE m.corporate_account_id = $1 AND m.contract_address IS NOT NULL AND (m.contract_address, m.token_id) > ($2, $3)
         AND NOT EXISTS (SELECT FROM contracts c WHERE c.contract_address = m.contract_address AND c.chain_id <> m.chain_id)
       ORDER BY m.contract_address, m.token_id, m.linked_at DESC LIMIT ${PAGE}`,
      [accountId, ...after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = [last.contractAddress, last.tokenId];
  }
}

/** The latest revocation of a certificate. */
export interface ExportedRevocation {
  readonly contractAddress: Address;
  readonly tokenId: string;
  readonly chainId: string;
  readonly reason: string;
  readonly txHash: Hex | null;
}

export async function readRevocations(client: Client, accountId: string): Promise<ExportedRevocation[]> {
  const { rows } = await client.query<ExportedRevocation>(
    `SELECT DISTINCT ON (contract_address, token_id) contract_address AS "contractAddress", token_id AS "tokenId",
       chain_id AS "chainId", details->>'reason' AS reason, tx_hash AS "txHash"
     FROM orders WHERE corporate_account_id = $1 AND resource = 'certificate-revocations' AND status = 'CONFIRMED'
     ORDER BY contract_address, token_id, id DESC`,
    [accountId],
  );
  return rows;
}

/** A file that the account has uploaded. */
export interface ExportedAsset {
  readonly key: string;
  readonly url: string;
  readonly bytes: number;
}

export async function readAssets(client: Client, accountId: string): Promise<ExportedAsset[]> {
  const { rows } = await client.query<ExportedAsset>(
    'SELECT s3_key AS key, url, size_bytes AS bytes FROM assets WHERE corporate_account_id = $1 ORDER BY s3_key',
    [accountId],
  );
  return rows;
}
