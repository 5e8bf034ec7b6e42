import { afterAll, beforeAll, expect, it } from 'vitest';
import { notifyTransfers } from '../../src/holdings/transfer-notices.store.ts';
import { startWatchedDatabase, type WatchedDatabase } from '../engine/rows-read.ts';

const BUSY = 'a'.repeat(24);
const QUIET = 'b'.repeat(24);
const hashOf = (digit: string) => `'0x${digit.repeat(64)}'`;
const WAITING = 3_000;
const LIMIT = 10;

let watched: WatchedDatabase;

beforeAll(async () => {
  watched = await startWatchedDatabase();
  const { client: database } = watched;
  await database.query(
    `insert into indexed_chains (chain_id, step_id, block_number, block_hash, range_length, leased_until)
     values ('43114', '${BUSY}', 1000, ${hashOf('9')}, 100, now())`,
  );
  for (const id of [BUSY, QUIET]) {
    const address = `0x${id.slice(0, 16).padStart(40, '0')}`;
    await database.query(
      `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
       values ('${id}', '${id}', 'Company', 'key', '${address}')`,
    );
    await database.query(
      `insert into webhook_endpoints (id, corporate_account_id, managed_by, secret_id, secret, event_types)
       values ('${id}', '${id}', 'account', '${id}', 'whsec_x', array['token.transferred'])`,
    );
    await database.query(
      `with contract as (
         insert into contracts (id, corporate_account_id, chain_id, erc_standard, status, contract_address)
         values ('${id}', '${id}', '43114', '721', 'ACTIVE', '${address}'))
       insert into indexed_contracts (contract_id, corporate_account_id, chain_id, contract_address, first_block, silent_to)
       values ('${id}', '${id}', '43114', '${address}', 1, 0)`,
    );
  }
  const insert = (id: string, block: string, count: number) =>
    database.query(
      `insert into token_transfers (chain_id, block_number, block_hash, log_index, tx_hash, position, contract_id, token_id,
         from_address, to_address, amount, is_notified)
       select '43114', ${block}, ${hashOf(id.charAt(0))}, n, ${hashOf('7')}, 0, '${id}', n, '0x1', '0x2', 1, false from generate_series(1, ${count}) n`,
    );
  await insert(BUSY, 'n / 10', WAITING);
  await insert(QUIET, '900', 2);
  await database.query('vacuum analyze token_transfers');
});
afterAll(() => watched.stop());

it('the events of an account with very many transfers keep those of another waiting for no statement', async () => {
  const now = new Date();
  const { count } = await notifyTransfers(watched.db, '43114', { depth: 2, limit: LIMIT, now });
  expect(count).toBe(LIMIT);
  const { rows } = await watched.client.query(
    `select corporate_account_id as account, payload from webhook_events order by id`,
  );
  const tokensOf = (account: string) =>
    rows
      .filter((row) => row.account === account)
      .map((row) => Number(JSON.parse(row.payload).data.tokenId))
      .toSorted((a, b) => a - b);
  expect(tokensOf(QUIET)).toEqual([1, 2]);
  expect(tokensOf(BUSY)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  // Runs it once more.
  expect(await watched.rowsRead()).toBeLessThan(30 * LIMIT);
});
