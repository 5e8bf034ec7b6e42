import type { Client } from 'pg';
import { getAddress } from 'viem';
import type { SecretsSettings } from '../accounts/wallet-secret.ts';
import { requireUnusedWallet } from '../accounts/require-unused-wallet.ts';
import { insertEndpoint } from '../accounts/upsert-account.ts';
import type { Wallet } from '../accounts/wallet-signer.ts';
import { columnsOf } from '../export/archived-records.ts';
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
  for (const table of RECORD_TABLES) {
    let stored = 0;
    for await (const rows of readRows(records, table, refuseChange)) {
      await (table.name === 'contracts'
        ? insertContracts(client, record, table, rows, onChain)
        : insertRows(client, record.id, table, rows));
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

/** Of a contract, what came of its deployment, which is in the ledger. */
const OF_DEPLOYMENT = new Set(
  'deploy_tx_hash deploy_gas_used total_fee_native native_price_usd total_fee_usd native_price_krw total_fee_krw completed_at'.split(
    ' ',
  ),
);

const wasDeployed = (row: Row) => row['registered_at_block'] === null || row['deploy_tx_hash'] !== null;

/** Stores contracts, and the deployments of those that came from one. */
async function insertContracts(
  client: Client,
  { id: accountId, firstBlocks }: AccountRecord,
  table: RecordTable,
  rows: readonly Row[],
  onChain: ReadonlyMap<string, ContractOnChain>,
): Promise<void> {
  const records = rows.map((row) => ({
    ...registered(onChain, firstBlocks)(row),
    error_message: wasDeployed(row) ? null : row['error_message'],
  }));
  const columns = [...Object.keys(table.row.shape).filter((name) => !OF_DEPLOYMENT.has(name)), 'current_owner_address'];
  await insertInto(client, accountId, table.name, columns, records);
  await insertRows(client, accountId, table, rows.filter(wasDeployed));
}

async function insertRows(client: Client, accountId: string, table: RecordTable, rows: readonly Row[]): Promise<void> {
  const { ledger } = table;
  if (ledger !== undefined) return await insertOrders(client, accountId, { ...table, ledger }, rows);
  await insertInto(client, accountId, table.name, columnsOf(table), rows);
}

async function insertInto(
  client: Client,
  accountId: string,
  name: string,
  columns: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const names = columns.join(', ');
  await client.query(
    `INSERT INTO ${name} (corporate_account_id, ${names}) SELECT $1, ${names} FROM json_populate_recordset(NULL::${name}, $2)`,
    [accountId, JSON.stringify(rows)],
  );
}

/** The columns of the ledger that say what an order does and how it has ended. */
const LEDGER =
  'id chain_id contract_id contract_address erc_standard token_id amount receiver_address metadata_id tx_hash gas_used total_fee_native native_price_usd total_fee_usd native_price_krw total_fee_krw error_message completed_at created_at updated_at'.split(
    ' ',
  );

/** Stores orders that have ended: no wallet of this deployment has made them, and none is final twice. */
async function insertOrders(
  client: Client,
  accountId: string,
  { name, view = name, row, ledger }: RecordTable & Required<Pick<RecordTable, 'ledger'>>,
  rows: readonly Row[],
): Promise<void> {
  const { gas } = ledger;
  const shown = new Set([...Object.keys(row.shape), 'gas_used']);
  const columns: Readonly<Record<string, string>> = {
    ...Object.fromEntries(LEDGER.filter((column) => shown.has(column)).map((column) => [column, `r.${column}`])),
    order_id: 'r.id',
    corporate_account_id: '$1',
    wallet_address: "''",
    state: 'lower(r.status)',
    is_final: 'true',
    endings: '1',
    next_try_at: 'r.created_at',
    ...ledger.columns,
  };
  await client.query(
    `INSERT INTO transactions (${Object.keys(columns).join(', ')})
     SELECT ${Object.values(columns).join(', ')} FROM json_populate_recordset(NULL::${view}, $2) r`,
    [accountId, JSON.stringify(gas === undefined ? rows : rows.map((each) => ({ ...each, gas_used: each[gas] })))],
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
