import { Client } from 'pg';
import { getAddress, type Address } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAccounts } from '../../src/admin/accounts-list.store.ts';
import { newestActivity } from '../../src/admin/activity.store.ts';
import { findOrders, type OrderSearch } from '../../src/admin/orders.store.ts';
import { ORDER_KINDS } from '../../src/admin/search-orders.ts';
import { activeWallets, replacedWallets, spentSince } from '../../src/admin/wallets.store.ts';
import { failingWebhooks } from '../../src/admin/webhook-health.store.ts';
import { idAt } from '../../src/core/record-id.ts';
import { pageRange } from '../../src/core/paging.ts';
import { connectDatabase, type SystemDb } from '../../src/platform/database/client.ts';
import { readBody, startHttpServer, type HttpServer } from '../../stack/http-server.ts';
import { startNeonEndpoint } from '../../stack/stand-ins/neon-endpoint.ts';
import { newDatabase } from './new-database.ts';

// The operator's queries on 100,000 orders, transfers and deliveries of 20,000 accounts: their plans and what they
// find.

const ORDERS = 100_000;
const ACCOUNTS = 20_000;
const CHAIN = '43114';
/** Of the test's accounts, contracts and people, by number. */
const address = (kind: string, n: number): Address => getAddress(`0x${`${kind}${n.toString(16)}`.padStart(40, '0')}`);
const lower = (text: Address) => text.toLowerCase() as Address;
/** One who has got something from every account. */
const POPULAR = address('f', 0);

let endpoint: HttpServer;
let recorder: HttpServer;
let client: Client;
let db: SystemDb;
let sent: { query: string; params: unknown[] }[] = [];

beforeAll(async () => {
  const databaseUrl = await newDatabase();
  endpoint = await startNeonEndpoint({ databaseUrl });
  recorder = await startHttpServer('Recorder', async (request, response) => {
    const body = String(await readBody(request, 10_000_000));
    const { queries, ...single } = JSON.parse(body);
    sent.push(...(queries ?? [single]));
    const headers = Object.entries(request.headers).filter(([name]) => name.startsWith('neon-')) as [string, string][];
    const reply = await fetch(endpoint.url, { method: 'POST', headers, body });
    response.writeHead(reply.status).end(await reply.text());
  });
  db = connectDatabase({ DATABASE_URL: databaseUrl, NEON_FETCH_ENDPOINT: recorder.url });
  client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await seed();
});

afterAll(async () => {
  await client.end();
  await recorder.stop();
  await endpoint.stop();
});

async function insert(count: number, table: string, columns: string, values: string): Promise<void> {
  await client.query(`insert into ${table} (${columns}) select ${values} from generate_series(1, ${count}) n`);
}

/** Rows are numbered: order n is of account n % ACCOUNTS and its contract, the n-th newest, and has token n. */
async function seed(): Promise<void> {
  const id = `'${idAt(Date.now()).slice(0, 11)}' || lpad(to_hex(${ORDERS} - n), 13, '0')`;
  const contractId = `'c' || lpad((n % ${ACCOUNTS})::text, 23, '0')`;
  const account = (n: string) => `'a' || lpad((${n} % ${ACCOUNTS})::text, 23, '0')`;
  const contract = (n: string) => `'0x' || lpad('c' || to_hex(${n} % ${ACCOUNTS}), 40, '0')`;
  const hash = `'0x' || md5(n::text) || md5('-' || n)`;
  const person = `case when n <= ${ACCOUNTS} then '${POPULAR}' else '0x' || lpad('f' || to_hex(n % 5000), 40, '0') end`;
  for (let n = 1; n <= ACCOUNTS; n += 1000) {
    const wallets = Array.from({ length: 1000 }, (_, k) => [n + k, address('e', n + k), address('d', n + k)]);
    await client.query(
      `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
       select ${account('(w->>0)::int')}, 'account-' || ((w->>0)::int % ${ACCOUNTS}), 'A', w->>0, w->>1 from jsonb_array_elements($1::jsonb) w`,
      [JSON.stringify(wallets)],
    );
    await client.query(
      `insert into relayer_wallets (address, corporate_account_id, secret_id, replaced_at)
       select w->>2, ${account('(w->>0)::int')}, w->>0, now() from jsonb_array_elements($1::jsonb) w`,
      [JSON.stringify(wallets)],
    );
  }
  await insert(
    ACCOUNTS,
    'contracts',
    'id, corporate_account_id, chain_id, erc_standard, status, contract_address',
    `${contractId}, ${account('n')}, '${CHAIN}', '1155', 'ACTIVE', ${contract('n')}`,
  );
  await client.query(
    `insert into metadata (id, corporate_account_id, chain_id, schema_version, standard_fields)
     values ('m', ${account('1')}, '${CHAIN}', '1', '{}')`,
  );
  const transaction =
    'id, kind, order_id, corporate_account_id, chain_id, wallet_address, state, nonce, next_try_at, spent_wei, spent_at';
  const order = `${transaction}, resource, contract_id, contract_address, erc_standard, token_id, amount, receiver_address, holder_address, metadata_id, tx_hash, updated_at`;
  const wallet = (n: string) => `'0x' || lpad('e' || to_hex(${n} % ${ACCOUNTS}), 40, '0')`;
  const sentBy = (n: string) => `${account(n)}, '${CHAIN}', ${wallet(n)}`;
  await insert(
    ORDERS,
    'orders',
    order,
    `${id}, 'mint', ${id}, ${sentBy('n')}, case when n % 1000 = 0 then 'signed' else 'confirmed' end, n, now(), 1, now(),
     'minting-orders', ${contractId}, ${contract('n')}, '1155', n::text, 1, ${person}, null, 'm', ${hash}, now() - n * interval '1 second'`,
  );
  await insert(
    ORDERS,
    'orders',
    order,
    `'t' || ${id}, 'transfer', 't' || ${id}, ${account('n')}, '${CHAIN}', '0x' || lpad('d' || to_hex(n % ${ACCOUNTS}), 40, '0'), 'confirmed', n, now(), 1, now(),
     'transfer-orders', null, ${contract('n')}, '1155', n::text, 1, ${person}, ${person}, null, null, now()`,
  );
  await insert(
    ACCOUNTS,
    'orders',
    transaction,
    `'d' || ${id}, 'deploy', ${contractId}, ${sentBy('n')}, 'failed', null, now(), null, null`,
  );
  await insert(
    ACCOUNTS,
    'orders',
    order,
    `'o' || ${id}, 'ownership-transfer', 'o' || ${id}, ${sentBy('n')}, 'confirmed', n + ${ORDERS}, now(), 1, now(),
     'ownership-transfers', ${contractId}, ${contract('n')}, null, null, null, '0x' || lpad('b' || to_hex(n), 40, '0'), null, null, null, now()`,
  );
  await insert(
    ACCOUNTS,
    'webhook_endpoints',
    'id, corporate_account_id, managed_by, secret_id, secret',
    `${account('n')}, ${account('n')}, 'operator', 's', 's'`,
  );
  await insert(
    ORDERS,
    'webhook_events',
    'id, corporate_account_id, type, payload',
    `${id}, ${account('n')}, 't', '{}'`,
  );
  await insert(
    ORDERS,
    'webhook_deliveries',
    'id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type, status, attempt_limit',
    `${id}, ${id}, ${account('n')}, ${account('n')}, 't', case when n % 500 = 0 then 'FAILED' else 'SUCCESS' end, 5`,
  );
  await client.query('vacuum analyze');
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const rowsOf = (node: Plan) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];

/**
 * Runs a query.
 * @returns how many rows its statements read, and the tables of which one reads more than 1,000 without an index.
 */
async function costOf(run: () => Promise<unknown>): Promise<{ rows: number; scanned: (string | undefined)[] }> {
  sent = [];
  await run();
  const plans: Plan[] = [];
  for (const { query, params } of sent) {
    const { rows } = await client.query(`explain (analyze, format json) ${query}`, params);
    plans.push(rows[0]['QUERY PLAN'][0].Plan);
  }
  expect(plans.length).toBeGreaterThan(0);
  const scans = plans.flatMap(nodesOf).filter((node) => node['Relation Name'] !== undefined);
  return {
    rows: scans.reduce((sum, node) => sum + rowsOf(node), 0),
    scanned: scans
      .filter((node) => node['Node Type'] === 'Seq Scan' && rowsOf(node) > 1_000)
      .map((node) => node['Relation Name']),
  };
}

const search = (what: OrderSearch) => findOrders(db, ORDER_KINDS, what, 50);
const of = (n: number) => address('c', n);

const SEARCHES: readonly [string, OrderSearch, string[]][] = [
  ['a token', { type: 'token', contractAddress: lower(of(7)), tokenId: '7' }, ['transfer', 'mint']],
  ['a contract', { type: 'address', address: lower(of(8)) }, ['transfer', 'ownership-transfer', 'mint', 'deploy']],
  ['a receiver and holder', { type: 'address', address: lower(address('f', 4_000)) }, ['transfer', 'mint']],
  ['one who has got something from every account', { type: 'address', address: lower(POPULAR) }, ['transfer']],
  ['a new owner', { type: 'address', address: lower(address('b', 9)) }, ['ownership-transfer']],
  ['a wallet', { type: 'address', address: lower(address('e', 10)) }, ['ownership-transfer', 'mint', 'deploy']],
  ['a replaced relayer wallet', { type: 'address', address: lower(address('d', 11)) }, ['transfer']],
  ['an address without orders', { type: 'address', address: lower(address('9', 9)) }, []],
  ['an unknown transaction', { type: 'transaction', hash: `0x${'ab'.repeat(32)}` }, []],
];

describe('a search of orders', () => {
  it.each(SEARCHES)(
    'for %s finds every kind, and reads few rows whatever the number of accounts',
    async (_, what, kinds) => {
      const found = await search(what);
      expect([...new Set(found.map(({ kind }) => kind))].toSorted()).toEqual(kinds.toSorted());
      const { rows, scanned } = await costOf(() => search(what));
      expect(scanned).toEqual([]);
      expect(rows).toBeLessThan(30_000);
    },
  );
});

const since = new Date(Date.now() - 86_400_000);

const READS: readonly [string, () => Promise<unknown>, number][] = [
  ['the wallets that are watched', () => activeWallets(db), 30_000],
  ['replaced relayer wallets', () => replacedWallets(db), 5_000],
  [
    'what wallets have spent',
    async () => spentSince(db, (await activeWallets(db)).watched.slice(0, 20), since),
    40_000,
  ],
  ['failing webhooks', () => failingWebhooks(db, since, 50), 20_000],
  ['a page of accounts', () => listAccounts(db, { ...pageRange({}), take: 51 }), 1_000],
  ['recent activity', () => newestActivity(db, 0, 30), 1_000],
];

describe('the operator reads', () => {
  it.each(READS)('%s by index, a bounded number of rows', async (_, read, most) => {
    const { rows, scanned } = await costOf(read);
    expect(scanned).toEqual([]);
    expect(rows).toBeLessThan(most);
  });
});
