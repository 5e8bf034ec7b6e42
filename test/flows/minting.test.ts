import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { storeTransaction } from '../fixtures/stored-transaction.ts';
import { newId } from '../../src/core/record-id.ts';
import {
  call,
  chainClient,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { recordedBodies, setFaults, statementTagged, statementsOf } from '../fixtures/fault-proxy.ts';
import { newSigner, sendAs } from '../fixtures/gasless.ts';

let client: Client;
let erc721: Address;
let erc1155: Address;
let forwarder: Address;

afterEach(() => setFaults(stack.proxies['43114'], [], 'minting'));

beforeAll(async () => {
  client = await newClient();
  const [a, b] = await Promise.all([deployContract(client), deployContract(client, { ercStandard: '1155' })]);
  erc721 = a.contractAddress;
  erc1155 = b.contractAddress;
  const { body } = await client.post('/contracts/forwarder', { alias: 'f' });
  forwarder = (await client.until(`/contracts/${body._id}`, ['ACTIVE']))['contractAddress'] as Address;
});

const order = async (fields: Record<string, unknown>, by = client) => ({
  chainId: '43114',
  contractAddress: erc721,
  receiverAddress,
  tokenId: '1',
  metadataId: fields['metadataId'] ?? (await createMetadata(by)),
  ...fields,
});
const post = async (fields: Record<string, unknown>, by = client) => by.post('/minting/order', await order(fields, by));

async function confirmed(fields: Record<string, unknown>) {
  const { body } = await post(fields);
  const done = await client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED']);
  expect(done).toMatchObject({ status: 'CONFIRMED' });
  return done;
}

describe('an order is checked before it is stored', () => {
  it('reports every error of the body at once', async () => {
    const { status, body } = await client.post('/minting/order', {
      chainId: 5,
      contractAddress: '0x1',
      receiverAddress: `0x${'0'.repeat(40)}`,
      tokenId: '007',
      amount: 0.5,
      metadataId: 'x',
    });
    expect(status).toBe(400);
    expect(body.errors.map((fault: { path: string }) => fault.path).toSorted()).toEqual([
      'amount',
      'chainId',
      'contractAddress',
      'metadataId',
      'receiverAddress',
      'tokenId',
    ]);
  });

  it.each([
    ['an ERC-721 amount over 1', () => ({ amount: 2 }), 400, 'amount'],
    ['an ERC-1155 order without an amount', () => ({ contractAddress: erc1155 }), 400, 'amount'],
    ['a token id over 256 bits', () => ({ tokenId: (2n ** 256n).toString() }), 400, 'tokenId'],
    ['a contract that the account does not have', () => ({ contractAddress: receiverAddress }), 404, undefined],
    ['a forwarder instead of a token contract', () => ({ contractAddress: forwarder }), 404, undefined],
    ['metadata that does not exist', () => ({ metadataId: newId() }), 404, undefined],
  ])('refuses %s', async (_, fields, expected, path) => {
    const { status, body } = await post(fields());
    expect(status).toBe(expected);
    expect(body.errors?.[0]?.path).toBe(path);
  });

  it('refuses metadata of another chain, and of another account', async () => {
    const elsewhere = await createMetadata(client, { chainId: '43113' });
    expect((await post({ metadataId: elsewhere })).status).toBe(400);
    const otherClient = await newClient();
    expect((await post({ metadataId: await createMetadata(otherClient) })).status).toBe(404);
    const own = await order({ tokenId: '900' });
    expect((await otherClient.post('/minting/order', own)).status).toBe(404);
  });

  it('refuses a certificate with another hash than the stored one, or without certificate metadata', async () => {
    const { contractAddress } = await deployContract(client, { contractType: 'certificate' });
    const { status, body } = await post({ contractAddress });
    expect(status).toBe(400);
    expect(body.errors.map((fault: { path: string }) => fault.path)).toEqual([
      'tokenUri',
      'metadataHash',
      'metadataId',
    ]);
  });

  it('accepts the order at both of its paths', async () => {
    const { status } = await client.post('/minting/orders', await order({ tokenId: '901' }));
    expect(status).toBe(201);
  });
});

describe('occupancy', () => {
  it('accepts one of twenty orders for one ERC-721 metadata, by the database constraint', async () => {
    const metadataId = await createMetadata(client);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post({ metadataId, tokenId: String(1_000 + index) })),
    );
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array(19).fill(409)]);
    expect(replies.find(({ status }) => status === 409)?.body.message).toContain('metadata');
  });

  it('mints more units of an ERC-1155 token, and refuses its metadata for another token', async () => {
    const metadataId = await createMetadata(client);
    await confirmed({ contractAddress: erc1155, tokenId: '5', amount: 3, metadataId });
    await confirmed({ contractAddress: erc1155, tokenId: '5', amount: 4, metadataId });
    const balance = await chainClient().readContract({
      ...standard1155,
      address: erc1155,
      functionName: 'balanceOf',
      args: [receiverAddress, 5n],
    });
    expect(balance).toBe(7n);
    expect((await post({ contractAddress: erc1155, tokenId: '6', amount: 1, metadataId })).status).toBe(409);
    expect((await call(`/metadata/${erc1155}/5`)).status).toBe(200);
  });

  it('refuses an ERC-721 token that exists and names its holder, until it is burned', async () => {
    const holder = newSigner();
    await confirmed({ tokenId: '70', receiverAddress: holder.address });
    const refused = await post({ tokenId: '70' });
    expect(refused).toMatchObject({
      status: 409,
      body: { message: `Token 70 exists and belongs to ${holder.address}` },
    });
    await sendAs(holder, encodeFunctionData({ ...standard721, functionName: 'burn', args: [70n] }), erc721);
    // Only the chain knows the holder now.
    await setFaults(stack.proxies['43114'], [{ match: erc721.slice(2), effect: 'refuse', times: 1 }], 'minting');
    const results = (
      await client.post('/minting/orders/batch', {
        orders: [await order({ tokenId: '70' }), await order({ tokenId: '74' })],
      })
    ).body.results;
    expect(results.map(({ statusCode }: { statusCode: number }) => statusCode)).toEqual([502, 201]);
    await client.until(`/minting/${results[1].order.id}`, ['CONFIRMED']);
    await confirmed({ tokenId: '70' });
  });

  it('names the holder of an ERC-721 token when the second of two concurrent orders is FAILED', async () => {
    const orders = await Promise.all([order({ tokenId: '71' }), order({ tokenId: '71' })]);
    const { body } = await client.post('/minting/orders/batch', { orders });
    const ends = await Promise.all(
      body.results.map((result: Reply['body']) => client.until(`/minting/${result.order.id}`, ['CONFIRMED', 'FAILED'])),
    );
    expect(ends.map(({ errorMessage }) => errorMessage)).toEqual(
      expect.arrayContaining([null, `Token 71 exists and belongs to ${receiverAddress}`]),
    );
  });

  it('names the holder of an ERC-721 token when an accepted order finds it minted, before anything is sent', async () => {
    const { id } = await confirmed({ tokenId: '73' });
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    const late = newId();
    // As if it had been accepted at the same time as the first.
    await database.query(
      `insert into minting_orders (id, corporate_account_id, contract_id, chain_id, contract_address, erc_standard,
         receiver_address, token_id, amount, metadata_id, status, mode)
       select $1, corporate_account_id, contract_id, chain_id, contract_address, erc_standard,
         receiver_address, token_id, amount, $2, 'PENDING', mode from minting_orders where id = $3`,
      [late, await createMetadata(client), id],
    );
    await storeTransaction(database, client, 'mint', late);
    await database.end();
    await cleanUpAfter(6);
    expect(await client.until(`/minting/${late}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'FAILED',
      errorMessage: `Token 73 exists and belongs to ${receiverAddress}`,
      txHash: null,
    });
  });

  it('refuses metadata of an ERC-1155 token for an ERC-721 token, linked or in progress', async () => {
    const metadataId = await createMetadata(client);
    const units = await post({ contractAddress: erc1155, tokenId: '8', amount: 1, metadataId });
    const early = await post({ tokenId: '72', metadataId });
    expect(early.status).toBe(409);
    await client.until(`/minting/${units.body.id}`, ['CONFIRMED']);
    expect(await post({ tokenId: '72', metadataId })).toMatchObject({
      status: 409,
      body: { message: `The metadata is already linked to token 8 of ${erc1155}` },
    });
  });

  it('reports in advance what is available and what is not, and why', async () => {
    const check = (fields: Record<string, unknown>) =>
      client.post('/minting/occupancy/check', { chainId: '43114', contractAddress: erc721, tokenId: '77', ...fields });
    const metadataId = await createMetadata(client);
    expect((await check({ metadataId })).body).toEqual({
      available: true,
      ercStandard: '721',
      reasons: [],
      notes: [],
      activeOrderCount: 0,
      metadataContext: { metadataId, linkedContractAddress: null, linkedTokenId: null },
    });
    await confirmed({ tokenId: '77', metadataId });
    const taken = (await check({ metadataId })).body;
    expect(taken).toMatchObject({
      available: false,
      activeOrderCount: 1,
      metadataContext: { metadataId, linkedContractAddress: erc721, linkedTokenId: '77' },
    });
    expect(taken.reasons).toHaveLength(2);
    const units = (await check({ contractAddress: erc1155, tokenId: '5' })).body;
    expect(units).toMatchObject({ available: true, ercStandard: '1155', activeOrderCount: 2, metadataContext: null });
    expect(units.notes).toHaveLength(1);
    expect((await check({ contractAddress: receiverAddress })).status).toBe(404);
  });
});

describe('reading orders', () => {
  it('finds an order by its transaction in any case, and by its token', async () => {
    const done = await confirmed({ tokenId: '88' });
    const hash = String(done['txHash']);
    expect((await client.get(`/minting/by-tx/0x${hash.slice(2).toUpperCase()}`)).body).toEqual(done);
    expect((await client.get(`/minting/by-tx/0x${'0'.repeat(64)}`)).status).toBe(404);
    expect((await client.get(`/minting/by-token?contractAddress=${erc721}&tokenId=88`)).body).toEqual([done]);
    expect((await client.get('/minting/by-token?tokenId=88')).status).toBe(400);
    const otherClient = await newClient();
    expect((await otherClient.get(`/minting/${String(done['id'])}`)).status).toBe(404);
    expect((await otherClient.get(`/minting/by-tx/${hash}`)).status).toBe(404);
    expect((await otherClient.get(`/minting/by-token?contractAddress=${erc721}&tokenId=88`)).body).toEqual([]);
  });

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
    const { contractAddress, _id } = await deployContract(own);
    const metadataId = await createMetadata(own);
    await database.connect();
    await database.query(
      `insert into minting_orders (id, corporate_account_id, contract_id, chain_id, contract_address, erc_standard,
         receiver_address, token_id, amount, metadata_id, status, mode)
       select lpad(to_hex(n), 12, '0') || md5(n::text)::char(12), ($1::text[])[1 + n % 10], $2, '43114', $3, '1155',
         '0x' || lpad(to_hex(n % 1000), 40, '0'), n::text, 1, $4,
         (array['CONFIRMED', 'FAILED'])[1 + (n % 50 = 0)::int], 'direct'
       from generate_series(1, 100000) n`,
      [[own, ...others].map(({ account }) => account._id), _id, contractAddress, metadataId],
    );
    contractId = _id;
    busy = { contractAddress, metadataId };
    await database.query('analyze minting_orders');
  });
  afterAll(async () => {
    await database.query('delete from minting_orders where contract_id = $1', [contractId]);
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
    await setFaults(stack.proxies.database, [{ match: own.account._id, effect: 'record', times: 5 }], 'minting');
    expect((await own.get(`/minting?${query}`)).status).toBe(200);
    // The query plan of the statement that the service sent.
    const sent = await recordedBodies(stack.proxies.database, 'minting');
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
    const newer = await database.query(`select 1 from minting_orders where contract_id <> $1`, [contractId]);
    for (const node of leaves) {
      expect(node['Node Type']).toMatch(/^(Bitmap )?Index Scan$/);
      const read = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
      expect(read).toBeLessThan(1_000 + (newer.rowCount ?? 0));
    }
  });

  it('does not slow down an order: conflicts are found by reading at most a hundredth of it', async () => {
    await setFaults(stack.proxies.database, [{ match: busy.metadataId, effect: 'record', times: 5 }], 'minting');
    const ordered = await own.post('/minting/order', { chainId: '43114', receiverAddress, tokenId: '100001', ...busy });
    expect(ordered.status).toBe(201);
    const [sent] = await recordedBodies(stack.proxies.database, 'minting');
    const queries = statementsOf(sent ?? '');
    expect(queries.length).toBeGreaterThanOrEqual(3);
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

describe('POST /minting/orders/batch', () => {
  it('accepts 95 of 100 and explains the other five, in order', async () => {
    const metadata = await Promise.all(Array.from({ length: 100 }, () => createMetadata(client)));
    const orders = await Promise.all(
      metadata.map((metadataId, index) => order({ metadataId, tokenId: String(20_000 + index) })),
    );
    const good = orders[50];
    Object.assign(orders[3] ?? {}, { receiverAddress: 'nobody', tokenId: '-1' });
    Object.assign(orders[17] ?? {}, { contractAddress: receiverAddress });
    Object.assign(orders[42] ?? {}, { metadataId: newId() });
    Object.assign(orders[60] ?? {}, { metadataId: good?.metadataId });
    Object.assign(orders[99] ?? {}, { amount: 2 });
    const { status, body } = await client.post('/minting/orders/batch', { orders });
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 95, refused: 5 });
    const bad = [3, 17, 42, 60, 99];
    expect(bad.map((index) => body.results[index].statusCode)).toEqual([400, 404, 404, 409, 400]);
    expect(body.results[3].errors.map(({ path }: { path: string }) => path)).toEqual(['receiverAddress', 'tokenId']);
    for (const index of bad) {
      const { statusCode, message, errors } = body.results[index];
      const alone = await client.post('/minting/order', orders[index]);
      expect({ statusCode, message, errors }).toEqual({
        statusCode: alone.status,
        message: alone.body.message,
        errors: alone.body.errors,
      });
    }
    const accepted = body.results.filter((result: { statusCode: number }) => result.statusCode === 201);
    expect(accepted.map(({ order: { tokenId } }: { order: { tokenId: string } }) => tokenId)).toEqual(
      orders.filter((_, index) => !bad.includes(index)).map(({ tokenId }) => tokenId),
    );
    for (const {
      order: { id },
    } of accepted) {
      expect(await client.until(`/minting/${id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({ status: 'CONFIRMED' });
    }
  });

  it('refuses an empty batch and one of 101', async () => {
    expect((await client.post('/minting/orders/batch', { orders: [] })).status).toBe(400);
    expect(
      (await client.post('/minting/orders/batch', { orders: Array.from({ length: 101 }, () => ({})) })).status,
    ).toBe(400);
  });
});
