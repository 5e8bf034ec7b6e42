import type { Client } from 'pg';
import { getAddress } from 'viem';
import type { SecretsSettings } from '../corporate/wallet-secret.ts';
import { ORDER_FORMS } from '../../src/orders/order-forms.ts';
import { requireUnusedWallet } from '../corporate/require-unused-wallet.ts';
import { insertEndpoint } from '../corporate/upsert-account.ts';
import type { Wallet } from '../corporate/wallet-signer.ts';
import { RECORD_TABLES, type AccountRecord, type RecordTable } from '../export/record-tables.ts';
import type { ContractOnChain } from './check-contracts.ts';
import { readRows, type Row } from './read-rows.ts';
import type { VerifiedFolder } from './verify-folder.ts';

/** An account that is taken up. */
export interface NewAccount {
  readonly record: AccountRecord;
  /** Its name in this deployment. */
  readonly corporateId: string;
  readonly wallet: Wallet;
  /** Whether the issuer is confirmed as the archive says. */
  readonly confirmsIssuer: boolean;
}

/**
 * Stores an account with all rows of an archive, in the transaction of the connection. Orders have no transaction and
 * no event: they have ended, and nothing is sent for them.
 * @param onChain Its contracts as their chains have them, by id.
 * @throws when something of it is there already.
 */
export async function storeRecords(
  client: Client,
  { record, corporateId, wallet, confirmsIssuer }: NewAccount,
  records: VerifiedFolder,
  onChain: ReadonlyMap<string, ContractOnChain>,
  secrets: SecretsSettings,
  say: (line: string) => void,
): Promise<void> {
  const issuer = confirmsIssuer ? record.issuer : null;
  await requireUnusedWallet(client, corporateId, wallet.address, 'main');
  await client.query(
    `INSERT INTO corporate_accounts (id, corporate_id, issuer_id, corporate_name, secret_manager_key_id, wallet_address,
       wallet_link_type, metadata, status, approvals_required, issuer_name, issuer_logo_url, issuer_domain, issuer_confirmed_at,
       issuer_publishes_did, issuer_did_domains, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      record.id,
      corporateId,
      record.issuerId,
      record.name,
      wallet.keyId,
      wallet.address,
      record.walletLinkType,
      record.metadata,
      record.status,
      record.approvalsRequired,
      issuer?.name ?? null,
      issuer?.logoUrl ?? null,
      issuer?.domain ?? null,
      issuer?.confirmedAt ?? null,
      issuer?.publishesDid ?? false,
      confirmsIssuer ? record.didDomains : [],
      record.createdAt,
      record.updatedAt,
    ],
  );
  await insertEndpoint(client, corporateId, secrets);
  for (const former of record.wallets.map((address) => getAddress(address))) {
    if (former === wallet.address) continue;
    await requireUnusedWallet(client, corporateId, former, 'main');
    // As a move of the wallet leaves it. No secret has this name: nothing is ever signed with it.
    await client.query(
      `INSERT INTO relayer_wallets (address, corporate_account_id, secret_id, created_at, replaced_at) VALUES ($1, $2, $3, now(), now())`,
      [former, record.id, `former wallet ${former}`],
    );
  }
  const completions: Readonly<Record<string, (row: Row) => Row>> = {
    contracts: registered(onChain, record.firstBlocks),
    orders: ended,
  };
  for (const table of RECORD_TABLES) {
    let stored = 0;
    for await (const rows of readRows(records, table, refuseChange)) {
      await insertRows(client, record.id, table, rows.map(completions[table.name] ?? ((row) => row)));
      stored += rows.length;
    }
    say(`${table.name}: ${stored.toLocaleString('en')}`);
  }
  await indexContracts(client, record, onChain);
}

function refuseChange(fault: string): never {
  throw new Error(`The records have changed: ${fault}`);
}

/**
 * The row of a contract from elsewhere, as it is registered: now, or, if its transfers were never read from its first
 * block on, when they were first read, by which everybody knows that some are missing.
 */
function registered(
  onChain: ReadonlyMap<string, ContractOnChain>,
  firstBlocks: Readonly<Record<string, number | undefined>>,
) {
  return ({ registered_at_block: before, ...row }: Row): Row => {
    const id = String(row['id']);
    const { owner = null, blockNumber = null } = onChain.get(id) ?? {};
    const first = firstBlocks[id];
    const isIncomplete = typeof before === 'string' && first !== undefined && first >= Number(before);
    return { ...row, current_owner_address: owner, registered_at_block: isIncomplete ? first : blockNumber };
  };
}

/** The row of an order that has ended: no wallet of this deployment has made it, and it is not final twice. */
function ended(row: Row): Row {
  const form = ORDER_FORMS.find(({ kinds }) => kinds.includes(String(row['kind'])));
  return {
    ...row,
    resource: form?.resource ?? 'contracts',
    wallet_address: '',
    is_final: true,
    endings: 1,
    next_try_at: row['created_at'],
  };
}

/** @param rows Each with the same columns. */
async function insertRows(
  client: Client,
  accountId: string,
  { name }: RecordTable,
  rows: readonly Row[],
): Promise<void> {
  const names = Object.keys(rows[0] ?? {})
    .map((column) => `"${column}"`)
    .join(', ');
  if (names === '') return;
  await client.query(
    `INSERT INTO ${name} (corporate_account_id, ${names}) SELECT $1, ${names} FROM json_populate_recordset(NULL::${name}, $2)`,
    [accountId, JSON.stringify(rows)],
  );
}

/**
 * Has the transfers of contracts read from where they were read before, without events for those that are there now.
 */
async function indexContracts(
  client: Client,
  { id, firstBlocks }: AccountRecord,
  onChain: ReadonlyMap<string, ContractOnChain>,
): Promise<void> {
  const rows = [...onChain].map(([contractId, { blockNumber }]) => {
    return { contract_id: contractId, first_block: firstBlocks[contractId] ?? blockNumber, silent_to: blockNumber };
  });
  await client.query(
    `INSERT INTO indexed_contracts (contract_id, corporate_account_id, chain_id, contract_address, first_block, next_block, silent_to)
     SELECT c.id, c.corporate_account_id, c.chain_id, c.contract_address, least(v.first_block, v.silent_to),
       least(v.first_block, v.silent_to), v.silent_to
     FROM json_populate_recordset(NULL::indexed_contracts, $2) v JOIN contracts c ON c.id = v.contract_id
     WHERE c.corporate_account_id = $1`,
    [id, JSON.stringify(rows)],
  );
}
