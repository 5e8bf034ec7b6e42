import { afterAll, beforeAll, expect, it } from 'vitest';
import { findContract } from '../../src/catalog/contracts/contracts.store.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { startWatchedDatabase, type WatchedDatabase } from './rows-read.ts';

const ACCOUNT = 'a'.repeat(24);
const CONTRACT = 'c'.repeat(24);
const [OWN, FORMER, LAST] = ['https://own.example', 'https://former.example', 'https://last.example'];

let watched: WatchedDatabase;

beforeAll(async () => {
  watched = await startWatchedDatabase();
  const { client } = watched;
  await client.query(
    `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
     values ($1, 'company', 'Company', 'key', '0xee')`,
    [ACCOUNT],
  );
  await client.query(
    `insert into contracts (id, corporate_account_id, chain_id, erc_standard, contract_type, status, contract_address, metadata_base_uri)
     values ($1, $2, '43114', '721', 'standard', 'ACTIVE', '0xc0', $3)`,
    [CONTRACT, ACCOUNT, OWN],
  );
});
afterAll(() => watched.stop());

/** The base of a contract that was changed twice, once this has been done to its changes. */
async function baseAfter(update: string): Promise<unknown> {
  const { client, db } = watched;
  await client.query('delete from orders');
  await client.query(
    `insert into orders (id, kind, order_id, resource, corporate_account_id, contract_id, chain_id, wallet_address, contract_address, details,
       state, nonce, block_number, next_try_at)
     select n, 'base-uri', n, 'base-uri-changes', $1, $2, '43114', '0xee', '0xc0', jsonb_build_object('metadataBaseUri', ($3::text[])[n]),
       'confirmed', n, 10 * n, now() from generate_series(1, 2) n`,
    [ACCOUNT, CONTRACT, [FORMER, LAST]],
  );
  await client.query(`update orders set ${update}`);
  return (await findContract(tenantOf(db, ACCOUNT), CONTRACT))?.currentBaseUri;
}

const reopened = `state = 'signed', block_number = null`;

it.each([
  ['that of its last change', `state = 'confirmed'`, LAST],
  ['the former one again when a reorganization undoes the change', `${reopened} where id = '2'`, FORMER],
  ['its own again when a reorganization undoes all', reopened, OWN],
  ['none of a contract with its address on another chain', `chain_id = '43113'`, OWN],
  ['that of the last block, whatever their ids say', `block_number = 1 where id = '2'`, FORMER],
  ['that of the last nonce of a block', 'block_number = 1, nonce = -nonce', FORMER],
  ['not that of a change of an archive, which has no block', `block_number = null where id = '2'`, FORMER],
  ['that of the last change of an archive', 'block_number = null, nonce = null', LAST],
])('a contract whose base was changed has %s', async (_, update, base) => {
  expect(await baseAfter(update)).toBe(base);
});
