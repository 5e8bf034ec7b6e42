import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Client as Postgres } from 'pg';
import { getAddress, parseEventLogs, type Address, type Hex } from 'viem';
import { certificate1155 } from '../../contracts/artifacts/Certificate1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import type { BuiltWorker } from '../fixtures/built-worker.ts';
import {
  call,
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { startDataCenter } from '../fixtures/data-center.ts';
import { recordedBodies, setFaults } from '../fixtures/fault-proxy.ts';
import { setCode, deployElsewhere } from '../fixtures/foreign-contract.ts';
import { burnData, deployForwarder, newSigner, sendAs } from '../fixtures/gasless.ts';
import { purgeSettings, startPurgeApi, type PurgeApi } from '../fixtures/purge-api.ts';
import { adminOf, ask, keyHeaders, makeKey } from '../fixtures/keys.ts';

const chainId = '43114';
const collaborator = newSigner().address;
const content = {
  name: 'Opening nights',
  symbol: 'TIX',
  description: 'Tickets of the season.\nOne seat each.',
  imageUrl: 'ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi',
  bannerImageUrl: 'https://example.com/banner.png',
  featuredImageUrl: 'https://example.com/featured.png',
  externalUrl: 'https://example.com/tickets',
  collaborators: [getAddress(collaborator)],
};
const published = {
  name: content.name,
  symbol: content.symbol,
  description: content.description,
  image: content.imageUrl,
  banner_image: content.bannerImageUrl,
  featured_image: content.featuredImageUrl,
  external_link: content.externalUrl,
  collaborators: content.collaborators,
};

interface Deployed {
  readonly contractAddress: Address;
  readonly _id: string;
}

let client: Client;
let contract: Deployed;
const deploy = (fields = {}): Promise<Deployed> =>
  deployContract(client, { name: 'On chain', symbol: 'OC', ...fields });
beforeAll(async () => {
  client = await newClient();
  contract = await deploy();
});

const path = ({ _id }: Deployed) => `/contracts/${_id}/metadata`;
const put = (of: Deployed, body: unknown, version?: number | string): Promise<Reply> =>
  client.put(
    path(of),
    body,
    version === undefined ? {} : { 'if-match': typeof version === 'number' ? `"${version}"` : version },
  );
const publicOf = ({ contractAddress }: Deployed, headers = {}) => call(`/metadata/${contractAddress}`, { headers });

describe('PUT /contracts/{id}/metadata', () => {
  it('replaces all that is said of the collection, in versions with who made them', async () => {
    expect((await client.get(path(contract))).body).toMatchObject({
      statusCode: 404,
      message: 'The contract has no collection metadata yet: PUT /contracts/{id}/metadata sets it',
    });
    const first = await put(contract, { ...content, collaborators: [collaborator.toLowerCase()] });
    expect([first.status, first.headers.get('etag'), first.body]).toEqual([
      200,
      '"1"',
      {
        contractId: contract._id,
        version: 1,
        ...content,
        createdAt: expect.any(String),
        createdBy: 'global',
        createdByKeyId: null,
      },
    ]);
    const key = await makeKey(client, { scopes: ['metadata'] });
    const headers = { ...keyHeaders(key), 'content-type': 'application/json', 'if-match': '"1"' };
    const second = await call(path(contract), { method: 'PUT', headers, body: '{"name":"Nights"}' });
    expect(second.body).toEqual({
      contractId: contract._id,
      version: 2,
      name: 'Nights',
      symbol: null,
      description: null,
      imageUrl: null,
      bannerImageUrl: null,
      featuredImageUrl: null,
      externalUrl: null,
      collaborators: [],
      createdAt: expect.any(String),
      createdBy: 'key',
      createdByKeyId: key.id,
    });
    const current = await client.get(path(contract));
    expect([current.body, current.headers.get('etag')]).toEqual([second.body, '"2"']);
    const versions = await client.get(`${path(contract)}/versions?limit=1`);
    expect(versions.body).toEqual({ items: [second.body], nextCursor: '2' });
    const earlier = await client.get(`${path(contract)}/versions?cursor=2`);
    expect(earlier.body).toEqual({ items: [first.body], nextCursor: null });
  });

  it('needs the current version in If-Match once there is one, and makes no version of the same content', async () => {
    const of = await deploy();
    expect((await put(of, { name: 'A' }, 1)).body).toMatchObject({
      statusCode: 412,
      message: 'The collection metadata has no version yet, not 1',
      version: 0,
    });
    expect((await put(of, { name: 'A' })).body).toMatchObject({ name: 'A', version: 1 });
    expect((await put(of, { name: 'B' })).body).toMatchObject({ statusCode: 428, version: 1 });
    expect((await put(of, { name: 'B' }, 7)).body).toMatchObject({
      statusCode: 412,
      message: 'The collection metadata has version 1, not 7',
      version: 1,
    });
    for (const tag of ['1', '*', '"0"']) expect((await put(of, { name: 'B' }, tag)).status).toBe(400);
    expect((await put(of, { name: 'B' }, 'W/"1"')).body).toMatchObject({ name: 'B', version: 2 });
    // After a lost reply it is sent again, with the If-Match of then.
    expect((await put(of, { name: 'B' }, 1)).body).toMatchObject({ name: 'B', version: 2 });
    expect((await put(of, { name: 'B' })).body).toMatchObject({ name: 'B', version: 2 });
  });

  it.each([
    ['the first one', undefined, 428],
    ['of a version', 1, 412],
  ])('of 20 at once, %s, is made once', async (_, version, refused) => {
    const of = await deploy();
    if (version !== undefined) await put(of, { name: 'A' });
    const replies = await Promise.all(
      Array.from({ length: 20 }, (__, index) => put(of, { name: `Name ${index}` }, version)),
    );
    const made = replies.filter(({ status }) => status === 200);
    expect(made).toHaveLength(1);
    expect(replies.filter(({ status }) => status === refused)).toHaveLength(19);
    expect((await client.get(path(of))).body).toEqual(made[0]?.body);
  });

  it('can change 100 times within 24 hours, and then waits', async () => {
    const of = await deploy();
    for (let version = 0; version < 100; version += 1) {
      const { status } = await put(of, { name: `Name ${version}` }, version === 0 ? undefined : version);
      expect([version, status]).toEqual([version, 200]);
    }
    const refused = await put(of, { name: 'One more' }, 100);
    expect(refused.body).toMatchObject({
      statusCode: 429,
      message: 'The metadata of a collection can change 100 times within 24 hours',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect((await client.get(path(of))).body).toMatchObject({ version: 100 });
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['control characters in the symbol', { symbol: 'A\u0007' }, 'symbol'],
    ['a long description', { description: 'x'.repeat(10_001) }, 'description'],
    ['a text that cannot be stored', { description: 'a\u0000' }, 'description'],
    ['a script for a picture', { imageUrl: 'javascript:alert(1)' }, 'imageUrl'],
    ['a picture without a scheme', { bannerImageUrl: '/banner.png' }, 'bannerImageUrl'],
    ['a long URL', { featuredImageUrl: `https://example.com/${'a'.repeat(2_048)}` }, 'featuredImageUrl'],
    ['a page on IPFS', { externalUrl: 'ipfs://abc' }, 'externalUrl'],
    ['a collaborator that is no address', { collaborators: ['0x1'] }, 'collaborators.0'],
    ['too many collaborators', { collaborators: Array.from({ length: 51 }, () => collaborator) }, 'collaborators'],
    ['the name that ERC-7572 has', { banner_image: 'https://example.com/b.png' }, 'banner_image'],
    ['null', { symbol: null }, 'symbol'],
  ])('is 400 for %s', async (_, fields, at) => {
    const { body } = await put(contract, { ...content, ...fields });
    expect([body.statusCode, body.errors.map((issue: { path: string }) => issue.path)]).toEqual([400, [at]]);
  });

  it('is 409 for a forwarder, and 413 for a long body', async () => {
    const address = await deployForwarder(client);
    const { body } = await client.get('/contracts?ercStandard=Forwarder');
    const [{ _id }] = body.items;
    expect((await put({ _id, contractAddress: address }, content)).body).toMatchObject({
      statusCode: 409,
      message: 'Forwarders have no collection',
    });
    expect((await put(contract, { name: 'x'.repeat(70_000) })).status).toBe(413);
  });
});

describe('GET /metadata/{contract}', () => {
  it.each([
    { ercStandard: '721', contractType: 'standard' },
    { ercStandard: '1155', contractType: 'certificate' },
  ])('is where contractURI() leads, with what the contract says until more is set: %o', async (fields) => {
    const of = await deploy(fields);
    const uri = await chainClient().readContract({
      ...standard721,
      address: of.contractAddress,
      functionName: 'contractURI',
    });
    expect(new URL(uri).pathname).toBe(`/metadata/${of.contractAddress}`);
    const derived = await publicOf(of);
    expect([derived.status, derived.body]).toEqual([200, { name: 'On chain', symbol: 'OC' }]);
    await put(of, content);
    const { status, body, headers } = await publicOf(of);
    expect([status, body]).toEqual([200, published]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': expect.stringMatching(/^public, max-age=0, s-maxage=\d+$/),
      'access-control-allow-origin': '*',
    });
    const known = await publicOf(of, { 'if-none-match': headers.get('etag') });
    expect([known.status, known.headers.get('etag')]).toEqual([304, headers.get('etag')]);
    expect((await call(`/metadata/${of.contractAddress.toUpperCase().replace('X', 'x')}`)).body).toEqual(published);
    await put(of, { name: 'Nights' }, 1);
    expect((await publicOf(of)).body).toEqual({ name: 'Nights' });
  });

  it('is 404 for an address without a contract, for a forwarder and for a contract from elsewhere until it is set', async () => {
    const forwarder = await deployForwarder(client);
    const foreign = await deployElsewhere(client.account.walletAddress);
    const registration = { chainId, contractAddress: foreign, ercStandard: '721', contractType: 'standard' };
    const { _id } = (await client.post('/contracts/register', registration)).body;
    for (const address of [newSigner().address, forwarder, foreign]) {
      const { body, headers } = await call(`/metadata/${address}`);
      expect([body.statusCode, body.message, headers.get('cache-control')]).toEqual([
        404,
        'Collection not found',
        'no-store',
      ]);
    }
    await put({ _id, contractAddress: foreign }, content);
    expect((await call(`/metadata/${foreign}`)).body).toEqual(published);
  });

  it('is 400 for what begins like an address and is none, and leaves the ids of documents to their own route', async () => {
    expect((await call('/metadata/0x12')).status).toBe(400);
    const { body } = await client.get('/metadata/0190f3c1a2b4d5e6f7a8b9c0');
    expect(body).toMatchObject({ statusCode: 404, message: 'Metadata not found' });
  });
});

const onDatabase = (faults: Parameters<typeof setFaults>[1]) =>
  setFaults(stack.proxies.database, faults, 'collections');
const lookups = async () => (await recordedBodies(stack.proxies.database, 'collections')).length;

describe('the cache of collections', () => {
  let elsewhere: BuiltWorker;
  let purgeApi: PurgeApi;
  beforeAll(async () => {
    purgeApi = await startPurgeApi();
    elsewhere = await startDataCenter({
      ...purgeSettings,
      CLOUDFLARE_API_URL: purgeApi.url,
      METADATA_CACHE_SECONDS: '1',
    });
  });
  afterEach(() => onDatabase([]));
  afterAll(async () => {
    await elsewhere.stop();
    await purgeApi.stop();
  });

  const there = async ({ contractAddress }: Deployed): Promise<unknown> =>
    (await call(`/metadata/${contractAddress}`, {}, elsewhere.url)).body;
  const putThere = (of: Deployed, body: unknown) => client.at(elsewhere.url).put(path(of), body);

  it('serves a burst of reads with one database lookup', async () => {
    const of = await deploy();
    const match = of.contractAddress;
    await onDatabase([
      { match, effect: 'stall', times: 1, milliseconds: 1_000 },
      { match, effect: 'record', times: 1_000 },
    ]);
    const documents = await Promise.all(Array.from({ length: 40 }, () => there(of)));
    expect(documents).toEqual(Array.from({ length: 40 }, () => ({ name: 'On chain', symbol: 'OC' })));
    expect(await lookups()).toBe(1);
  });

  it('shows a change of another data center within METADATA_CACHE_SECONDS', async () => {
    const of = await deploy();
    expect(await there(of)).toEqual({ name: 'On chain', symbol: 'OC' });
    await put(of, content);
    await expect.poll(() => there(of), { timeout: 10_000 }).toEqual(published);
  });

  it('does not keep what a slow read returned from before a change', async () => {
    const of = await deploy();
    await onDatabase([{ match: of.contractAddress, effect: 'stall', times: 1, milliseconds: 2_000 }]);
    const slow = there(of);
    await expect.poll(lookups).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await putThere(of, content)).status).toBe(200);
    expect(await there(of)).toEqual(published);
    expect(await slow).toEqual(published);
    expect(await there(of)).toEqual(published);
  });

  it('is purged in every data center by public URL, and a change is made even if that fails', async () => {
    const of = await deploy();
    const before = purgeApi.purged.length;
    await putThere(of, content);
    const url = `http://service.test/metadata/${of.contractAddress}`;
    await expect.poll(() => purgeApi.purged.slice(before)).toEqual([url]);
    purgeApi.mode = 'refuse';
    const { status } = await client.at(elsewhere.url).put(path(of), { name: 'Nights' }, { 'if-match': '"1"' });
    purgeApi.mode = 'work';
    expect([status, await there(of)]).toEqual([200, { name: 'Nights' }]);
  });
});

const notify = (body: object, headers = {}) => client.post('/chain-notifications', body, headers);

describe('POST /chain-notifications for a collection', () => {
  it.each([
    {},
    { ercStandard: '1155' },
    { contractType: 'certificate' },
    { ercStandard: '1155', contractType: 'certificate' },
  ])('has the contract emit ContractURIUpdated, once for an Idempotency-Key: %o', async (fields) => {
    const of = await deploy(fields);
    await put(of, content);
    const key = { 'idempotency-key': `collection-${of._id}` };
    const accepted = await notify({ contractId: of._id }, key);
    expect([accepted.status, accepted.body]).toMatchObject([
      201,
      { contractId: of._id, metadataId: null, tokenId: null, contractAddress: of.contractAddress, status: 'PENDING' },
    ]);
    expect((await notify({ contractId: of._id }, key)).body.id).toBe(accepted.body.id);
    const order = await client.until(`/chain-notifications/${accepted.body.id}`, ['CONFIRMED', 'FAILED']);
    expect(order).toMatchObject({ status: 'CONFIRMED', tokenId: null, totalFeeNative: expect.any(String) });
    const { logs } = await chainClient().getTransactionReceipt({ hash: order['txHash'] as Hex });
    const events = parseEventLogs({ abi: certificate1155.abi, eventName: 'ContractURIUpdated', logs });
    expect(events.map(({ address }) => address.toLowerCase())).toEqual([of.contractAddress]);
    const all = await chainClient().getLogs({ address: of.contractAddress, fromBlock: 0n });
    expect(parseEventLogs({ abi: certificate1155.abi, eventName: 'ContractURIUpdated', logs: all })).toHaveLength(1);
  });

  it('is FAILED if the contract does not emit the event any more', async () => {
    const of = await deploy();
    const account = `/admin/accounts/${client.account.corporateId}`;
    await ask(adminOf(client), `${account}/pause`, {});
    const { body } = await notify({ contractId: of._id });
    await setCode(of.contractAddress, '0x00');
    await ask(adminOf(client), `${account}/resume`, {});
    expect(await client.until(`/chain-notifications/${body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'FAILED',
      errorMessage: 'The transaction was mined, but its logs do not contain the ContractURIUpdated that was ordered',
    });
  });

  it('is 400 for both a contract and metadata, and for neither', async () => {
    for (const body of [{}, { contractId: contract._id, metadataId: contract._id }]) {
      const reply = await notify(body);
      expect([reply.status, reply.body.errors[0].path]).toEqual([400, 'metadataId']);
    }
  });

  it('is 404 for a forwarder and another account, and 409 without the function or while one is under way', async () => {
    await deployForwarder(client);
    const { body: found } = await client.get('/contracts?ercStandard=Forwarder');
    expect((await notify({ contractId: found.items[0]._id })).body).toMatchObject({
      statusCode: 404,
      code: 'contract_not_active',
      message: expect.stringMatching(/ is a forwarder, which has no collection$/),
    });
    const other = await newClient();
    expect((await other.post('/chain-notifications', { contractId: contract._id })).status).toBe(404);

    const account = `/admin/accounts/${client.account.corporateId}`;
    await ask(adminOf(client), `${account}/pause`, {});
    const replies = await Promise.all(Array.from({ length: 5 }, () => notify({ contractId: contract._id })));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
    await ask(adminOf(client), `${account}/resume`, {});
    const id = replies.find(({ status }) => status === 201)?.body.id;
    await client.until(`/chain-notifications/${id}`, ['CONFIRMED']);

    const silent = await deploy();
    // owner() of the contract stays; all else reverts.
    await setCode(silent.contractAddress, ownerOnly(client.account.walletAddress));
    expect((await notify({ contractId: silent._id })).body).toMatchObject({
      statusCode: 409,
      message: expect.stringMatching(
        /^The contract cannot announce a change of the collection's metadata: it has no function for it\. Reverted/,
      ),
    });
  });
});

/** Code that answers owner() and reverts otherwise. */
function ownerOnly(owner: Address): Hex {
  return `0x5f3560e01c638da5cb5b146011575f5ffd5b73${owner.slice(2).toLowerCase()}5f5260205ff3`;
}

const place = ({ contractAddress }: Deployed) => `/collections/${chainId}/${contractAddress}`;
const mint = async ({ contractAddress }: Deployed, tokenId: string, fields = {}) => {
  const metadataId = await createMetadata(client);
  const order = { chainId, contractAddress, receiverAddress, tokenId, metadataId, ...fields };
  const { body } = await client.post('/minting/order', order);
  expect(await client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({ status: 'CONFIRMED' });
  return { metadataId };
};

const tokensOf = async (of: Deployed, before?: string): Promise<Reply['body']> =>
  (await call(`${place(of)}/tokens${before === undefined ? '' : `?before=${before}`}`)).body;

describe('GET /collections/{chainId}/{contractAddress}', () => {
  it('says what the collection is, and lists its tokens, most recently minted first, page by page', async () => {
    const of = await deploy({ ercStandard: '1155' });
    const documents: { metadataId: string }[] = [];
    for (let id = 1; id <= 14; id += 1) documents.push(await mint(of, String(id), { amount: 1 }));
    await mint(of, '3', { amount: 5, ...documents[2] });
    const { status, headers, body } = await call(place(of));
    expect([status, body]).toEqual([
      200,
      {
        chainId,
        contractAddress: of.contractAddress,
        ercStandard: '1155',
        contractType: 'standard',
        ownerAddress: client.account.walletAddress,
        hasPublishedCode: true,
        tokenCount: 14,
        hasMoreTokens: false,
      },
    ]);
    expect([headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual([
      expect.stringMatching(/^public, max-age=0, s-maxage=\d+$/),
      '*',
    ]);
    const first = await tokensOf(of);
    expect(first).toEqual({
      tokenIds: ['14', '13', '12', '11', '10', '9', '8', '7', '6', '5', '4', '3'],
      nextBefore: '3',
    });
    expect(await tokensOf(of, '3')).toEqual({ tokenIds: ['2', '1'], nextBefore: null });
    expect(await tokensOf(of, '999')).toEqual({ tokenIds: [], nextBefore: null });
  });

  it('lists a token that was burned, and once if it was minted again with another document', async () => {
    const of = await deploy();
    const holder = newSigner();
    await mint(of, '1', { receiverAddress: holder.address });
    await mint(of, '2');
    await sendAs(holder, burnData(holder.address, { tokenId: '1' }), of.contractAddress);
    expect(await tokensOf(of)).toEqual({ tokenIds: ['2', '1'], nextBefore: null });
    await mint(of, '1');
    expect(await tokensOf(of)).toEqual({ tokenIds: ['1', '2'], nextBefore: null });
    expect(await tokensOf(of, '1')).toEqual({ tokenIds: ['2'], nextBefore: null });
  });

  it('counts up to 10,000 tokens', async () => {
    const of = await deploy();
    const database = new Postgres({ connectionString: stack.ownerDatabaseUrl });
    await database.connect();
    const add = (from: number, to: number) =>
      database.query(
        `insert into metadata (id, corporate_account_id, chain_id, contract_address, token_id, schema_version, standard_fields, linked_at)
         select substr(md5($1 || n), 1, 24), $2, $3, $1, n::text, 'opensea_flexible@1.0.0', '{}', now() from generate_series($4::int, $5::int) n`,
        [of.contractAddress, client.account._id, chainId, from, to],
      );
    await add(1, 10_000);
    // As autovacuum does within a minute: a plan for the few rows before reads each token once for each other.
    await database.query('analyze metadata');
    expect((await call(place(of))).body).toMatchObject({ tokenCount: 10_000, hasMoreTokens: false });
    await add(10_001, 10_001);
    expect((await call(place(of))).body).toMatchObject({ tokenCount: 10_000, hasMoreTokens: true });
    // They were all linked at once.
    const seen: string[] = [];
    for (let page = await tokensOf(of); seen.length < 60; page = await tokensOf(of, page.nextBefore)) {
      seen.push(...page.tokenIds);
    }
    expect(new Set(seen).size).toBe(60);
    // Without a look for orders of each: no index leads from a document to its orders, and nothing deletes documents.
    await database.query("set session_replication_role = 'replica'");
    await database.query('delete from metadata where contract_address = $1', [of.contractAddress]);
    await database.end();
  });

  it('is 404 on another chain and without a document, and 400 for what is no place', async () => {
    const of = await deploy();
    const foreign = await deployElsewhere(client.account.walletAddress);
    await client.post('/contracts/register', {
      chainId,
      contractAddress: foreign,
      ercStandard: '721',
      contractType: 'standard',
    });
    for (const wrong of [`/collections/43113/${of.contractAddress}`, `/collections/${chainId}/${foreign}`]) {
      for (const at of [wrong, `${wrong}/tokens`]) {
        const { body } = await call(at);
        expect([at, body.statusCode, body.message]).toEqual([at, 404, 'Collection not found']);
      }
    }
    expect((await call(place(of))).status).toBe(200);
    for (const bad of ['/collections/x/0x1', `${place(of)}/tokens?before=01`]) {
      expect([bad, (await call(bad)).status]).toEqual([bad, 400]);
    }
  });
});
