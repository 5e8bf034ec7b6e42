import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyMigrations } from '../migrate/apply-migrations.ts';
import { connectDatabase, type SystemDb } from '../../src/platform/database/client.ts';
import { startPostgres, type Postgres } from '../../stack/postgres/postgres.ts';
import type { HttpServer } from '../../stack/http-server.ts';
import { startNeonEndpoint } from '../../stack/stand-ins/neon-endpoint.ts';
import { adoptMatches } from './adopt-matches.ts';
import type { Matching } from './match-transactions.ts';
import { movedAccounts } from './moved-accounts.ts';
import type { UnfinishedTransaction } from './recorded-orders.ts';
import type { WalletTransaction } from './wallet-transactions.ts';

const WALLET: Address = '0x00000000000000000000000000000000000000aa';
const BACKUP = new Date('2025-12-31T00:00:00Z');
const NOW = new Date('2026-01-01T00:00:00Z');

let directory: string;
let postgres: Postgres;
let endpoint: HttpServer;
let client: Client;
let db: SystemDb;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'adopt-'));
  postgres = await startPostgres({ directory, password: 'password' });
  await applyMigrations(postgres.url);
  endpoint = await startNeonEndpoint({ databaseUrl: postgres.url });
  db = connectDatabase({ DATABASE_URL: postgres.url, NEON_FETCH_ENDPOINT: endpoint.url });
  client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(
    `INSERT INTO corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address) VALUES ('a', 'a', 'A', 'k', '${WALLET}')`,
  );
});

afterAll(async () => {
  await client.end();
  await endpoint.stop();
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  await client.query('DELETE FROM attempts; DELETE FROM orders');
});

/** Stores a transaction; signed if it has a nonce. */
async function stored(id: string, nonce: number | null): Promise<UnfinishedTransaction> {
  const state = nonce === null ? 'waiting' : 'signed';
  await client.query(
    `INSERT INTO orders (id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, nonce, version, next_try_at, updated_at)
     VALUES ($1, 'mint', $1, 'a', '43114', $2, $3, $4, 3, now(), $5)`,
    [id, WALLET, state, nonce, BACKUP],
  );
  const fields = {
    id,
    orderId: id,
    kind: 'mint',
    wallet: WALLET,
    nonce,
    isCarried: false,
    acceptedAt: NOW,
    calls: new Set<string>(),
  };
  return { ...fields, state, version: 3, carried: [] };
}

function mined(nonce: number): WalletTransaction {
  const fees = { value: 0n, gas: 2n, maxFeePerGas: 5n, maxPriorityFeePerGas: 1n, raw: '0x02' as const };
  return {
    wallet: WALLET,
    nonce,
    hash: `0x${nonce}`,
    blockNumber: nonce,
    minedAt: NOW,
    to: WALLET,
    data: '0x',
    ...fees,
  };
}

/** A complete comparison. */
const found = (matching: Partial<Matching>) => ({
  chainId: '43114',
  toBlock: 9,
  used: [{ wallet: WALLET, count: 8 }],
  matching: { matches: [], unknown: [], displaced: [], ...matching },
  moved: [],
  unsettled: [],
  unexplained: [],
});

async function rows() {
  const reply = await client.query(
    `SELECT t.id, t.state, t.nonce::int, t.version, t.spent_wei AS spent, array_remove(array_agg(a.hash), null) AS hashes
     FROM orders t LEFT JOIN attempts a ON a.transaction_id = t.id GROUP BY t.id ORDER BY t.id`,
  );
  return reply.rows as unknown[];
}

async function pausedAt() {
  const { rows: accounts } = await client.query('SELECT paused_at AS at FROM corporate_accounts');
  return accounts.map(({ at }: { at: Date | null }) => at);
}

it('gives a nonce to the order that used it, although another one held it', async () => {
  const [held, waiting, displaced] = [await stored('1', 5), await stored('2', null), await stored('3', 7)];
  const matches = [
    { mined: mined(5), of: waiting, purpose: 'effect' as const },
    { mined: mined(7), of: held, purpose: 'effect' as const },
  ];
  expect(await adoptMatches(db, [found({ matches, displaced: [held, displaced] })], NOW)).toBe(true);
  expect(await rows()).toEqual([
    { id: '1', state: 'signed', nonce: 7, version: 4, spent: '10', hashes: ['0x7'] },
    { id: '2', state: 'signed', nonce: 5, version: 4, spent: '10', hashes: ['0x5'] },
    { id: '3', state: 'waiting', nonce: null, version: 4, spent: null, hashes: [] },
  ]);
});

it('a displaced order keeps no reason for failing of the nodes that were asked before', async () => {
  const displaced = await stored('1', 5);
  await client.query("UPDATE orders SET refusal = 'gas limit too high' WHERE id = '1'");
  expect(await adoptMatches(db, [found({ displaced: [displaced] })], NOW)).toBe(true);
  expect((await client.query('SELECT state, refusal FROM orders')).rows).toEqual([{ state: 'waiting', refusal: null }]);
});

it('makes a bundle of the orders that one transaction carried out', async () => {
  const [one, other] = [await stored('1', null), await stored('2', null)];
  const matches = [one, other].map((of, place) => ({
    mined: mined(5),
    of,
    purpose: 'effect' as const,
    part: { place, size: 3 },
  }));
  const [first] = matches;
  const same = matches.map((match) => ({ ...match, mined: first?.mined ?? match.mined }));
  expect(await adoptMatches(db, [found({ matches: same })], NOW)).toBe(true);
  const { rows: bundles } = await client.query("SELECT id FROM orders WHERE kind = 'bundle'");
  const [{ id }] = bundles as [{ id: string }];
  expect(await rows()).toEqual(
    expect.arrayContaining([
      { id, state: 'signed', nonce: 5, version: 0, spent: '10', hashes: ['0x5'] },
      { id: '1', state: 'signed', nonce: 5, version: 4, spent: null, hashes: [] },
      { id: '2', state: 'signed', nonce: 5, version: 4, spent: null, hashes: [] },
    ]),
  );
  const { rows: carried } = await client.query(
    'SELECT id, bundle_place AS place, bundle_size AS size FROM orders WHERE bundle_id = $1 ORDER BY id',
    [id],
  );
  expect(carried).toEqual([
    { id: '1', place: 0, size: 3 },
    { id: '2', place: 1, size: 3 },
  ]);
});

it('ends a displaced bundle, and lets what it carried wait for a transaction of its own', async () => {
  const bundle = await stored('1', 5);
  await client.query("UPDATE orders SET kind = 'bundle' WHERE id = '1'");
  const carried = await stored('2', null);
  await client.query(
    "UPDATE orders SET state = 'signed', nonce = 5, bundle_id = '1', bundle_place = 0, bundle_size = 1 WHERE id = '2'",
  );
  const waiting = await stored('3', null);
  const matches = [{ mined: mined(5), of: waiting, purpose: 'effect' as const }];
  const displaced = [{ ...bundle, carried: [carried] }];
  expect(await adoptMatches(db, [found({ matches, displaced })], NOW)).toBe(true);
  expect(await rows()).toEqual([
    { id: '1', state: 'cancelled', nonce: null, version: 4, spent: null, hashes: [] },
    { id: '2', state: 'waiting', nonce: null, version: 4, spent: null, hashes: [] },
    { id: '3', state: 'signed', nonce: 5, version: 4, spent: '10', hashes: ['0x5'] },
  ]);
  const { rows: alone } = await client.query(
    "SELECT id FROM orders WHERE earlier_bundle_id = '1' AND bundle_id IS NULL AND id = '2'",
  );
  expect(alone).toHaveLength(1);
});

it('leaves the time of the last change, since which the next comparison reads blocks', async () => {
  const [held, waiting] = [await stored('1', 5), await stored('2', null)];
  const matches = [
    { mined: mined(5), of: waiting, purpose: 'effect' as const },
    { mined: mined(7), of: held, purpose: 'effect' as const },
  ];
  expect(await adoptMatches(db, [found({ matches, displaced: [held] })], NOW)).toBe(true);
  const { rows: changes } = await client.query('SELECT DISTINCT updated_at FROM orders');
  expect(changes).toEqual([{ updated_at: BACKUP }]);
});

it('stores nothing of any chain when one of the orders has changed since it was read', async () => {
  const [first, second] = [await stored('1', null), await stored('2', null)];
  const comparisons = [
    found({ matches: [{ mined: mined(5), of: first, purpose: 'effect' }] }),
    found({ matches: [{ mined: mined(6), of: { ...second, version: 2 }, purpose: 'effect' }] }),
  ];
  await expect(adoptMatches(db, comparisons, NOW)).rejects.toThrow('transactions_changed');
  expect(await rows()).toMatchObject([
    { id: '1', state: 'waiting', version: 3, hashes: [] },
    { id: '2', state: 'waiting', version: 3, hashes: [] },
  ]);
});

it('stores nothing of any chain while one has nonces that are not settled or not explained', async () => {
  const matches = [{ mined: mined(5), of: await stored('1', null), purpose: 'effect' as const }];
  const open = [{ wallet: WALLET, from: 7, to: 7 }];
  for (const incomplete of [{ unsettled: open }, { unexplained: open }]) {
    expect(await adoptMatches(db, [found({ matches }), { ...found({}), ...incomplete }], NOW)).toBe(false);
  }
  expect(await rows()).toMatchObject([{ id: '1', state: 'waiting', version: 3, hashes: [] }]);
});

it('pauses running imports with what it stores, or not at all', async () => {
  await client.query(
    `INSERT INTO imports (id, corporate_account_id, chain_id, kind, status, bytes, caller, next_try_at, created_at, updated_at)
     VALUES ('i', 'a', '43114', 'tokens', 'RUNNING', 1, '{}', now(), now(), now())`,
  );
  const statuses = async () => (await client.query('SELECT status FROM imports')).rows as unknown[];
  const changed = { ...(await stored('1', null)), version: 2 };
  const comparison = found({ matches: [{ mined: mined(5), of: changed, purpose: 'effect' }] });
  await expect(adoptMatches(db, [comparison], NOW)).rejects.toThrow('transactions_changed');
  expect(await statuses()).toEqual([{ status: 'RUNNING' }]);
  expect(await adoptMatches(db, [found({})], NOW)).toBe(true);
  expect(await statuses()).toEqual([{ status: 'PAUSED' }]);
});

it('pauses an account whose wallet has given away what it had, and leaves the time of an earlier pause', async () => {
  await adoptMatches(db, [found({})], NOW);
  expect(await pausedAt()).toEqual([null]);
  await adoptMatches(db, [found({}), { ...found({}), chainId: '43113', moved: ['a'] }], NOW);
  expect(await pausedAt()).toEqual([NOW]);
  await adoptMatches(db, [{ ...found({}), moved: ['a'] }], BACKUP);
  expect(await pausedAt()).toEqual([NOW]);
});

describe('an account may have been moved to another wallet', () => {
  const CONTRACT = `0x${'c0'.repeat(20)}` as const;
  const transferOf = (contract: Address) => ({ mined: { ...mined(5), to: contract }, data: '0xf2fde38b' as const });
  const coins = { mined: { ...mined(5), value: 1n }, data: '0x' as const };

  beforeAll(async () => {
    await client.query(
      `INSERT INTO contracts (id, corporate_account_id, chain_id, erc_standard, status, contract_address, current_owner_address)
       VALUES ('c', 'a', '43114', '721', 'ACTIVE', $1, $2)`,
      [CONTRACT, WALLET],
    );
  });

  it.each([
    ['whose wallet has transferred a contract that it had', '43114', [transferOf(CONTRACT)], ['a']],
    ['whose wallet has sent coins', '43114', [coins, coins], ['a']],
    [
      'not one whose wallet has transferred a contract that it did not have, as follows a deployment',
      '43114',
      [transferOf(WALLET)],
      [],
    ],
    ['not one that has the contract on another chain', '43113', [transferOf(CONTRACT)], []],
    [
      'not one whose other wallet has sent coins',
      '43114',
      [{ ...coins, mined: { ...coins.mined, wallet: CONTRACT } }],
      [],
    ],
    [
      'not one whose wallet has made another call',
      '43114',
      [{ mined: { ...mined(5), to: CONTRACT }, data: '0x01' as const }],
      [],
    ],
  ])('%s', async (_, chainId, unknown, accounts) => {
    expect(await movedAccounts(db, chainId, unknown)).toEqual(accounts);
  });
});
