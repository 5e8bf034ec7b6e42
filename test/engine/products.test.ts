import { afterAll, beforeAll, expect, it } from 'vitest';
import { findCertificatesOf } from '../../src/credentials/products.store.ts';
import { startWatchedDatabase, type WatchedDatabase } from './rows-read.ts';

const GTIN = '09506000134352';
const CERTIFICATES = 5_000;
const contractOf = (account: string) => `0x${account.repeat(40)}`;

let watched: WatchedDatabase;

beforeAll(async () => {
  watched = await startWatchedDatabase();
  const { client } = watched;
  for (const [account, isConfirmed, count] of [
    ['a', true, 1],
    ['b', false, CERTIFICATES],
    ['c', false, 1],
  ] as const) {
    await client.query(
      `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address, issuer_confirmed_at)
       values ($1, $1, 'Company', $1, $1, $2)`,
      [account, isConfirmed ? new Date(0) : null],
    );
    await client.query(
      `insert into contracts (id, corporate_account_id, chain_id, erc_standard, contract_type, status, contract_address)
       values ($1, $1, '43114', '721', 'certificate', 'ACTIVE', $2)`,
      [account, contractOf(account)],
    );
    await client.query(
      `insert into metadata (id, corporate_account_id, chain_id, contract_address, token_id, schema_version, standard_fields, metadata_hash, linked_at)
       select $1 || n, $1, '43114', $2, n::text, 'cert_schema@1.0.0', $3, '0x', to_timestamp(n)
       from generate_series(1, $4::int) n`,
      [
        account,
        contractOf(account),
        {
          attributes: [
            { trait_type: 'GTIN', value: GTIN },
            { trait_type: 'Serial Number', value: '1' },
          ],
        },
        count,
      ],
    );
  }
  await client.query('vacuum analyze');
});
afterAll(() => watched.stop());

it('of a product that somebody names in thousands of certificates few are read, those of confirmed issuers among them', async () => {
  const found = await findCertificatesOf(watched.db, { gtins: [GTIN, GTIN.slice(1)], serial: '1' });
  expect(found).toHaveLength(20);
  expect(found.filter(({ contractAddress }) => contractAddress === contractOf('a'))).toEqual([found[0]]);
  expect(await watched.rowsRead()).toBeLessThan(500);
});
