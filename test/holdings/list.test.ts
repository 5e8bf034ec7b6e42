import { afterAll, beforeAll, expect, it } from 'vitest';
import { lowerCase } from '../../src/core/lower-case.ts';
import { listHoldings, type HoldingFilter } from '../../src/holdings/holdings.store.ts';
import { pageRange } from '../../src/core/paging.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { startWatchedDatabase, type WatchedDatabase } from '../engine/rows-read.ts';

const ACCOUNT = 'a'.repeat(24);
const address = (text: string) => lowerCase(`0x${text.padStart(40, '0')}`);
/** Its holders have one token each, but for one, which the wallet has. */
const SPREAD = address('c1');
/** The wallet has all its tokens. */
const WHOLE = address('c2');
/** One token with many holders, of whom the wallet is none. */
const SHARED = address('c3');
const WALLET = address('ee');
const ROWS = 20_000;

let watched: WatchedDatabase;

beforeAll(async () => {
  watched = await startWatchedDatabase();
  const { client: database } = watched;
  await database.query(
    `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
     values ('${ACCOUNT}', 'company', 'Company', 'key', '${WALLET}')`,
  );
  for (const [contract, token, holder] of [
    [SPREAD, 'n::text', "'0x' || lpad(to_hex(n + 1000), 40, '0')"],
    [WHOLE, 'n::text', `'${WALLET}'`],
    [SHARED, "'7'", "'0x' || lpad(to_hex(n + 1000), 40, '0')"],
  ] as const) {
    const id = contract.slice(-24);
    await database.query(
      `with contract as (
         insert into contracts (id, corporate_account_id, chain_id, erc_standard, status, contract_address)
         values ('${id}', '${ACCOUNT}', '43114', '1155', 'ACTIVE', '${contract}'))
       insert into indexed_contracts (contract_id, corporate_account_id, chain_id, contract_address, first_block, silent_to)
       values ('${id}', '${ACCOUNT}', '43114', '${contract}', 1, 0)`,
    );
    await database.query(
      `insert into holdings (id, corporate_account_id, contract_id, chain_id, contract_address, token_id, holder, amount)
       select substr(encode(sha256(convert_to(concat_ws(' ', '${contract}', t, h), 'UTF8')), 'hex'), 1, 24),
         '${ACCOUNT}', '${id}', '43114', '${contract}', t, h, 1
       from (select ${token} as t, ${holder} as h from generate_series(1, ${ROWS}) n
         union select '0', '${WALLET}' where '${contract}' = '${SPREAD}') each`,
    );
  }
  await database.query('vacuum analyze holdings');
});
afterAll(() => watched.stop());

it.each<[string, HoldingFilter, number]>([
  ['no filter', {}, 11],
  ['a contract', { contractAddress: SPREAD }, 11],
  ['a token', { contractAddress: SHARED, tokenId: '7' }, 11],
  ['a holder', { holder: WALLET }, 11],
  ['a contract and a holder who has most of another', { contractAddress: SPREAD, holder: WALLET }, 1],
  ['a token and a holder who has it', { contractAddress: WHOLE, tokenId: '9', holder: WALLET }, 1],
  ['a token of many and a holder of many who has it not', { contractAddress: SHARED, tokenId: '7', holder: WALLET }, 0],
])('a list of holdings with %s reads few rows, however many there are', async (_, filter, count) => {
  const page = pageRange({ limit: 10, cursor: undefined, createdFrom: undefined, createdTo: undefined });
  expect(await listHoldings(tenantOf(watched.db, ACCOUNT), filter, page)).toHaveLength(count);
  expect(await watched.rowsRead()).toBeLessThan(500);
});
