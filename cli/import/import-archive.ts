import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { getAddress, type Address } from 'viem';
import type { Chains } from '../../src/chains/client.ts';
import type { Log } from '../../src/core/log.ts';
import { hasObject, storeObject, type ObjectStoreSettings } from '../../src/platform/object-store.ts';
import { namedWallet } from '../corporate/named-wallet.ts';
import type { AccountStores } from '../corporate/upsert-account.ts';
import { inParallel } from '../export/in-parallel.ts';
import type { AccountRecord } from '../export/record-tables.ts';
import { inTransaction } from '../in-transaction.ts';
import { hashOfInput, recordCommand } from '../record-command.ts';
import { checkCertificates, checkContracts, type ContractOnChain } from './check-contracts.ts';
import { checkRecords, readAccountRecord, type ArchivedAsset, type CheckedRecords } from './check-records.ts';
import { Faults } from './faults.ts';
import { storeRecords } from './store-records.ts';
import { verifyFolder, type VerifiedFolder } from './verify-folder.ts';

/** An archive, and how it is taken up. */
export interface Import {
  readonly stores: AccountStores;
  /** The folder of the archive, and the one of what is not public. */
  readonly directory: string;
  readonly records: string;
  /** The name of the account in this deployment; undefined: the same as before. */
  readonly corporateId?: string | undefined;
  /** The wallet of the account, as for {@link namedWallet}. */
  readonly wallet: string;
  /** Whether the issuer is confirmed as the archive says. */
  readonly confirmsIssuer: boolean;
  readonly chains: Chains;
  /** Where uploaded files go; undefined: nowhere. */
  readonly objectStore: ObjectStoreSettings | undefined;
  /** Told what is done, and what is left to do. */
  readonly say: (line: string) => void;
}

const NAME = 'import-archive';

/**
 * Takes up an account of another deployment: the mirror of `exportAccount`. Steps, of which each is done or not:
 *
 * 1. Read and compare all of the archive, the database and the chains: whatever is wrong is said, and nothing changed
 * 2. Store the wallet's key, unless it is there
 * 3. Store the uploaded files that are not there, under the same keys
 * 4. Store all records in one transaction
 *
 * After a crash, run it again. Once it is done, it changes nothing.
 * @throws when the archive, or something in it, cannot be taken up.
 */
export async function importArchive(options: Import): Promise<void> {
  const { stores, directory, records, chains, objectStore, confirmsIssuer, say } = options;
  const faults = new Faults();
  const archive = await verifyFolder(directory, faults, say);
  const notPublic = await verifyFolder(records, faults, say);
  faults.stop();
  if (archive === undefined || notPublic === undefined) throw new Error('There is no archive');
  if (notPublic.archive !== archive.root) faults.add(`${records} belongs to another archive than ${directory}`);
  const record = await readAccountRecord(notPublic, (file) => readFile(file, 'utf8'), faults);
  faults.stop();
  if (record === undefined) throw new Error('There is no account');
  const corporateId = options.corporateId ?? record.corporateId;
  const input = { merkleRoot: notPublic.root };
  if (await inTransaction(stores.databaseUrl, (client) => isDone(client, corporateId, record, input))) {
    say(`${corporateId} was already imported: nothing changed, and options have no effect`);
    return;
  }
  const checked = await inTransaction(stores.databaseUrl, async (client) => {
    await refuseKnownAccount(client, corporateId, record, faults);
    return await checkRecords(notPublic, archive, client, faults);
  });
  const onChain = await checkContracts(checked.contracts, chains, faults);
  await checkCertificates([...checked.certificates.values()], chains, faults);
  await inTransaction(stores.databaseUrl, (client) => refuseForeignOwners(client, checked, onChain, faults));
  if (checked.assets.length > 0 && objectStore === undefined) faults.add('assets: set S3_BUCKET');
  faults.stop();
  const wallet = await namedWallet(options.wallet, corporateId, stores);
  if (objectStore !== undefined) await storeFiles(archive, checked.assets, objectStore, say);
  await inTransaction(stores.databaseUrl, async (client) => {
    const account = { record, corporateId, wallet, confirmsIssuer };
    await storeRecords(client, account, notPublic, onChain, stores.secrets, say);
    await recordCommand(client, { name: NAME, corporateId, input, resourceIds: [record.id] });
  });
  say(`${corporateId} is imported; its wallet is ${wallet.address}`);
  for (const line of nextSteps(record, checked, onChain, wallet.address, confirmsIssuer)) say(line);
}

/** Whether an earlier run has taken up these records. */
async function isDone(client: Client, corporateId: string, { id }: AccountRecord, input: object): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM corporate_accounts a JOIN audit_log l ON l.corporate_account_id = a.id
     WHERE a.corporate_id = $1 AND a.id = $2 AND l.route = $3 AND l.actor = 'command' AND l.body_hash = $4`,
    [corporateId, id, NAME, hashOfInput(input)],
  );
  return rowCount !== 0;
}

async function refuseKnownAccount(
  client: Client,
  corporateId: string,
  { id, issuerId, wallets }: AccountRecord,
  faults: Faults,
): Promise<void> {
  // Requests name an account by either.
  const { rows } = await client.query<{ corporateId: string }>(
    `SELECT corporate_id AS "corporateId" FROM corporate_accounts WHERE id = ANY($1) OR corporate_id = ANY($1) OR issuer_id = $2`,
    [[id, corporateId], issuerId],
  );
  for (const { corporateId: other } of rows) faults.add(`The ids of the account are those of the account ${other}`);
  for (const wallet of await walletsAmong(client, wallets)) faults.add(`The wallet ${wallet} is another account's`);
}

/** Refuses contracts that belong to accounts that are here already: only these may register them. */
async function refuseForeignOwners(
  client: Client,
  { contracts }: CheckedRecords,
  onChain: ReadonlyMap<string, ContractOnChain>,
  faults: Faults,
): Promise<void> {
  const owners = [...onChain.values()].map(({ owner }) => owner);
  const taken = new Set<string>(await walletsAmong(client, owners));
  for (const { id, contract_address: address } of contracts) {
    const owner = onChain.get(id)?.owner;
    if (owner !== undefined && taken.has(owner)) {
      faults.add(`contracts: ${address} belongs to ${owner}, which is another account's wallet`);
    }
  }
}

/** Those of some addresses that are wallets of accounts. */
async function walletsAmong(client: Client, addresses: readonly Address[]): Promise<Address[]> {
  const { rows } = await client.query<{ address: Address }>(
    `SELECT address FROM (SELECT wallet_address AS address FROM corporate_accounts UNION SELECT address FROM relayer_wallets) w
     WHERE address = ANY($1)`,
    [addresses.map((address) => getAddress(address))],
  );
  return rows.map(({ address }) => address);
}

const QUIET: Log = { info: () => {}, warn: () => {}, error: () => {}, with: () => QUIET };

/** Stores the uploaded files that the object store does not have, under the keys that they had. */
async function storeFiles(
  { directory }: VerifiedFolder,
  assets: readonly ArchivedAsset[],
  objectStore: ObjectStoreSettings,
  say: (line: string) => void,
): Promise<void> {
  let stored = 0;
  await inParallel(assets, async ({ s3_key: key, mime_type: mediaType, size_bytes: bytes }) => {
    if (await hasObject(objectStore, key, bytes)) return;
    const content = createReadStream(join(directory, 'assets', key));
    await storeObject(objectStore, { key, mediaType, content }, QUIET);
    stored += 1;
  });
  say(`${stored.toLocaleString('en')} of ${assets.length.toLocaleString('en')} uploaded files stored`);
}

/** What an import leaves to its operator. */
function nextSteps(
  { issuer }: AccountRecord,
  { contracts }: CheckedRecords,
  onChain: ReadonlyMap<string, ContractOnChain>,
  wallet: string,
  confirmsIssuer: boolean,
): string[] {
  const foreign = contracts.flatMap(({ id, contract_address: address, chain_id: chainId }) => {
    const owner = onChain.get(id)?.owner;
    return owner === undefined || owner === wallet
      ? []
      : [
          `${address} on chain ${chainId} belongs to ${owner}: until its ownership is transferred to ${wallet}, nothing can be minted or revoked`,
        ];
  });
  const unconfirmed =
    issuer === null || confirmsIssuer
      ? []
      : [`The archive names ${issuer.name} of ${issuer.domain} as the issuer, which is not confirmed here`];
  return [...foreign, ...unconfirmed];
}
