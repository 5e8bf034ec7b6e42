import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import {
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { recordedBodies, setFaults, statementTagged, statementsOf } from '../fixtures/fault-proxy.ts';

afterEach(() => setFaults(stack.proxies.database, [], 'lists'));

const post = async (fields: Record<string, unknown>, by: Client) =>
  by.post('/minting/order', {
    chainId: '43114',
    receiverAddress,
    metadataId: await createMetadata(by),
    ...fields,
  });

describe('a list of orders', () => {
  it('pages through all orders, newest first, each once', async () => {
    const own = await newClient();
    const { contractAddress } = await deployContract(own);
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      const { body } = await post({ contractAddress, tokenId: String(index) }, own);
      ids.unshift(body.id);
    }
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body } = await own.get(`/minting?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(ids);
  });

  it('filters a list by state, contract, receiver and time', async () => {
    const own = await newClient();
    const [a, b] = await Promise.all([deployContract(own), deployContract(own)]);
    const first = await post({ contractAddress: a.contractAddress, tokenId: '1' }, own);
    const second = await post(
      { contractAddress: b.contractAddress, tokenId: '1', receiverAddress: a.contractAddress },
      own,
    );
    await own.until(`/minting/${first.body.id}`, ['CONFIRMED']);
    await own.until(`/minting/${second.body.id}`, ['FAILED']);
    const ids = async (query: string) =>
      (await own.get(`/minting?${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await ids('status=CONFIRMED')).toEqual([first.body.id]);
    expect(await ids('status=FAILED')).toEqual([second.body.id]);
    expect(await ids(`contractAddress=${b.contractAddress}`)).toEqual([second.body.id]);
    expect(await ids(`receiverAddress=${receiverAddress.toLowerCase()}`)).toEqual([first.body.id]);
    expect(await ids(`createdFrom=${second.body.createdAt}`)).toEqual([second.body.id]);
    expect(await ids(`createdTo=${second.body.createdAt}`)).toEqual([first.body.id]);
    const { status, body } = await own.get('/minting?status=DONE&limit=1000&createdFrom=yesterday');
    expect(status).toBe(400);
    expect(body.errors).toHaveLength(3);
    const contracts = await own.get('/contracts?status=ACTIVE&ercStandard=721');
    expect(contracts.body.items.map(({ _id }: { _id: string }) => _id)).toEqual([b._id, a._id].toSorted().toReversed());
  });
});

describe('a list of 100,000 orders', () => {
  const database = new Postgres({ connectionString: stack.ownerDatabaseUrl });
  let own: Client;
  let contractId: string;
  let busy: { contractAddress: Address; metadataId: string };
  beforeAll(async () => {
    own = await newClient();
    const others = await Promise.all(Array.from({ length: 9 }, () => newClient()));
    const { contractAddress, _id } = await deployContract(own, { ercStandard: '1155' });
    const metadataId = await createMetadata(own);
    await database.connect();
    await database.query(
      `insert into orders (id, kind, order_id, resource, wallet_address, next_try_at, is_final, corporate_account_id, contract_id, chain_id,
         contract_address, erc_standard, receiver_address, token_id, amount, metadata_id, state)
       select id, 'mint', id, 'minting-orders', '', now(), true, ($1::text[])[1 + n % 10], $2, '43114', $3, '1155',
         '0x' || lpad(to_hex(n % 1000), 40, '0'), n::text, 1, $4,
         (array['confirmed', 'failed'])[1 + (n % 50 = 0)::int]
       from (select n, lpad(to_hex(n), 12, '0') || md5(n::text)::char(12) as id from generate_series(1, 100000) n) ids`,
      [[own, ...others].map(({ account }) => account._id), _id, contractAddress, metadataId],
    );
    contractId = _id;
    busy = { contractAddress, metadataId };
    await database.query('analyze orders');
  });
  afterAll(async () => {
    await database.query("delete from orders where contract_id = $1 and wallet_address = ''", [contractId]);
    await database.end();
  });

  interface PlanNode {
    readonly 'Node Type': string;
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly PlanNode[];
  }
  const scans = (node: PlanNode): PlanNode[] => (node.Plans === undefined ? [node] : node.Plans.flatMap(scans));

  it.each([
    ['unfiltered', ''],
    ['by state', 'status=FAILED'],
    ['by receiver', `receiverAddress=0x${'7b'.padStart(40, '0')}`],
    ['by contract and state', `contractAddress=0x${'1'.repeat(40)}&status=CONFIRMED`],
  ])('serves a page %s from an index, reading at most a hundredth of it, and what is newer', async (_, query) => {
    await setFaults(stack.proxies.database, [{ match: own.account._id, effect: 'record', times: 5 }], 'lists');
    expect((await own.get(`/minting?${query}`)).status).toBe(200);
    // The query plan of the statement that the service sent.
    const sent = await recordedBodies(stack.proxies.database, 'lists');
    const statement = sent
      .flatMap(statementsOf)
      .find(({ query: text }) => text.includes(statementTagged('list-orders')));
    expect(statement).toBeDefined();
    const { rows } = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${statement?.query}`,
      [...(statement?.params ?? [])],
    );
    const leaves = rows.flatMap((row) => scans(row['QUERY PLAN'][0].Plan)).filter((node) => node['Actual Loops'] > 0);
    expect(leaves).not.toEqual([]);
    // The planner may choose the index on ids alone, and other tests order at the same time.
    const newer = await database.query(`select 1 from orders where wallet_address <> ''`);
    for (const node of leaves) {
      expect(node['Node Type']).toMatch(/^(Bitmap )?Index Scan$/);
      const read = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
      expect(read).toBeLessThan(1_000 + (newer.rowCount ?? 0));
    }
  });

  it('does not slow down an order: conflicts are found by reading at most a hundredth of it', async () => {
    await setFaults(stack.proxies.database, [{ match: busy.metadataId, effect: 'record', times: 5 }], 'lists');
    const order = { chainId: '43114', receiverAddress, tokenId: '100001', amount: 1, ...busy };
    const ordered = await own.post('/minting/order', order);
    expect(ordered.status).toBe(201);
    const [sent] = await recordedBodies(stack.proxies.database, 'lists');
    const queries = statementsOf(sent ?? '');
    expect(queries.map(({ query }) => query).join()).toContain('find-mint-records');
    for (const { query, params } of queries) {
      const { rows } = await database.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${query}`,
        [...params],
      );
      for (const node of rows.flatMap((row) => scans(row['QUERY PLAN'][0].Plan))) {
        expect(node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)).toBeLessThan(1_000);
      }
    }
    await own.until(`/minting/${ordered.body.id}`, ['CONFIRMED', 'FAILED']);
  });
});

it('GET /metadata has pages of at most 4 MB, so that large documents can be listed, too', async () => {
  const own = await newClient();
  const ids: string[] = [];
  for (let index = 0; index < 12; index += 1) {
    ids.push(
      await createMetadata(own, {
        utility: { type: 'Flexible', data: { status: 'Unused', story: 'x'.repeat(400_000) } },
      }),
    );
  }
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: Reply['body'] = (await own.get(`/metadata?limit=100${cursor === null ? '' : `&cursor=${cursor}`}`))
      .body;
    pages.push(page.items.map((item: Reply['body']) => item._id));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(pages.map(({ length }) => length)).toEqual([10, 2]);
  expect(pages.flat()).toEqual(ids.toReversed());
});
