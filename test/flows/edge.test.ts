import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { startEdge, type RunningEdge } from '../fixtures/edge.ts';
import { keyHeaders, makeKey } from '../fixtures/keys.ts';

let edge: RunningEdge;
/** An account that calls the edge. */
let client: Client;

beforeAll(async () => {
  [edge, client] = await Promise.all([startEdge(), newClient()]);
  client = client.at(edge.url);
});
afterAll(() => edge.stop());

/** How often the core was asked for paths. */
const requestsWhere = (isMeant: (path: string) => boolean) =>
  Array.from(edge.log().matchAll(/"event":"core\.asked","pathname":"([^"]*)"/g)).filter(([, path = '']) =>
    isMeant(path),
  ).length;
const isDeployment = (path: string) => path.startsWith('/deployments/');
const requestsOf = (path: string) => requestsWhere((asked) => asked === path);

/** Mints a token through the edge. @returns the path of its document. */
async function mint(contractAddress: string, tokenId: string): Promise<string> {
  const metadataId = await createMetadata(client);
  const order = { chainId: '43114', contractAddress, receiverAddress, tokenId, metadataId };
  const accepted = await client.post('/minting/order', order);
  expect(accepted.status).toBe(201);
  expect(await client.until(`/minting/${accepted.body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
    status: 'CONFIRMED',
  });
  return `/metadata/${contractAddress}/${tokenId}`;
}

/** A reply, as text, but for what differs from one request to the next, and for the origin, which is in some ETags. */
async function comparable(path: string, origin: string): Promise<string> {
  const { status, headers, body } = await call(path, {}, origin);
  const { date: _, 'transfer-encoding': __, etag: ___, ...rest } = Object.fromEntries(headers);
  return JSON.stringify({ status, rest, body })
    .replaceAll(origin, 'http://service')
    .replaceAll(/[0-9a-f-]{36}|(?<="x-trace-id":")[0-9a-f]{32}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'one');
}

const PAGES = [
  '/',
  '/docs',
  '/docs/schemas',
  '/docs/engine',
  '/docs/reference/order-mint',
  '/console',
  '/portal',
  '/gate',
  '/verify',
  `/verify/0x${'a'.repeat(40)}/1`,
  `/collection/43114/0x${'a'.repeat(40)}`,
  '/pages/site/main.js',
];
const PUBLIC = ['/openapi.json', '/schemas', '/schemas/ticket_schema@1.0.0'];

describe('the edge', () => {
  it.each([...PAGES, ...PUBLIC, '/nowhere', '/docs/nothing', '/pages/site/nothing.js', '/contracts'])(
    'replies to GET %s as the service in one process does',
    async (path) => {
      expect(await comparable(path, edge.url)).toBe(await comparable(path, stack.url));
    },
  );

  it('serves pages by itself, and what is public of the core from its cache', async () => {
    for (const path of PUBLIC) await edge.call(path);
    const before = PUBLIC.map(requestsOf);
    for (const path of [...PAGES, ...PUBLIC]) expect([path, (await edge.call(path)).status]).toEqual([path, 200]);
    expect(PUBLIC.map(requestsOf)).toEqual(before);
    expect(PAGES.map(requestsOf)).toEqual(PAGES.map(() => 0));
  });

  it('hands an order over to the core, and serves its document', async () => {
    const { contractAddress } = await deployContract(client);
    const path = await mint(contractAddress, '1');
    const first = await edge.call(path);
    expect([first.status, first.body.name]).toEqual([200, 'A token']);
    const asked = requestsOf(path);
    const again = await edge.call(path.toUpperCase().replace('/METADATA/0X', '/metadata/0x'));
    expect([again.status, again.headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
    expect(again.headers.get('access-control-allow-origin')).toBe('*');
    expect(requestsOf(path)).toBe(asked);
  });

  it("serves a collection's document from its cache", async () => {
    const { contractAddress } = await deployContract(client);
    const path = `/metadata/${contractAddress}`;
    const first = await edge.call(path);
    expect([first.status, first.body]).toEqual([200, { name: 'Test tokens', symbol: 'TEST' }]);
    const asked = requestsOf(path);
    const again = await edge.call(path.toUpperCase().replace('/METADATA/0X', '/metadata/0x'));
    expect([again.status, again.headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
    const known = await edge.call(path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
    expect([known.status, known.headers.get('access-control-allow-origin')]).toEqual([304, '*']);
    expect(requestsOf(path)).toBe(asked);
  });

  it('serves what the page of a collection shows from its cache, each page of tokens by itself', async () => {
    const { contractAddress } = await deployContract(client);
    const path = `/collections/43114/${contractAddress}`;
    await mint(contractAddress, '1');
    for (const one of [path, `${path}/tokens`, `${path}/tokens?before=1`]) {
      expect([one, (await edge.call(one)).status]).toEqual([one, 200]);
    }
    const asked = [requestsOf(path), requestsOf(`${path}/tokens`)];
    expect((await edge.call(path)).body).toMatchObject({ tokenCount: 1 });
    expect((await edge.call(`${path}/tokens?ref=x`)).body).toEqual({ tokenIds: ['1'], nextBefore: null });
    expect((await edge.call(`${path}/tokens?before=1`)).body).toEqual({ tokenIds: [], nextBefore: null });
    expect([requestsOf(path), requestsOf(`${path}/tokens`)]).toEqual(asked);
    expect((await edge.call(`${path}/tokens?before=x`)).status).toBe(400);
  });

  it('has one entry for all ways of writing a path', async () => {
    const { contractAddress } = await deployContract(client, { contractType: 'certificate' });
    const path = `/deployments/43114/${contractAddress}`;
    expect((await edge.call(path)).status).toBe(200);
    const asked = requestsWhere(isDeployment);
    const others = [
      path.replace(contractAddress, contractAddress.toUpperCase().replace('0X', '0x')),
      path.replace('/43114', '/%343114'),
      path.replace('/0x', '/%30x'),
      `${path}?ref=1`,
    ];
    for (const other of others) {
      const reply = await edge.call(other);
      expect([other, reply.status, reply.headers.get('age') === null]).toEqual([other, 200, false]);
    }
    expect(requestsWhere(isDeployment)).toBe(asked);
    expect((await edge.call('/deployments/43114/%')).status).toBeGreaterThanOrEqual(400);
  });

  it("hands a caller's address over, and none that the caller claims", async () => {
    const key = await makeKey(client, { allowedAddresses: ['203.0.113.7'] });
    const claims = {
      'x-forwarded-for': '203.0.113.7',
      'x-real-ip': '203.0.113.7',
      forwarded: 'for=203.0.113.7',
      'true-client-ip': '203.0.113.7',
    };
    const statusFrom = async (address: string) =>
      (await edge.call('/contracts', { headers: { ...keyHeaders(key), ...claims, 'cf-connecting-ip': address } }))
        .status;
    expect(await statusFrom('198.51.100.1')).toBe(403);
    expect(await statusFrom('203.0.113.7')).toBe(200);
  });

  it('hands the id of a request over, and a file of any length as it arrives', async () => {
    const id = crypto.randomUUID();
    const form = new FormData();
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    );
    form.set('file', new Blob([new Uint8Array(png), new Uint8Array(5_000_000)], { type: 'image/png' }), 'picture.png');
    const headers = { ...keyHeaders(await makeKey(client)), 'x-request-id': id };
    const uploaded = await edge.call('/assets/upload', { method: 'POST', headers, body: form });
    expect([uploaded.status, uploaded.body.message]).toEqual([201, undefined]);
    expect(uploaded.headers.get('x-request-id')).toBe(id);
    await expect.poll(() => edge.log()).toContain(`"requestId":"${id}"`);
  });
});

describe('while the core is down', () => {
  let cached: string;
  let unknown: string;
  beforeAll(async () => {
    const { contractAddress } = await deployContract(client);
    cached = await mint(contractAddress, '1');
    unknown = `/metadata/${contractAddress}/2`;
    for (const path of [cached, ...PUBLIC]) await edge.call(path);
    await edge.takeCoreDown();
  });

  it('the edge serves what it has', async () => {
    for (const path of [cached, ...PAGES, ...PUBLIC])
      expect([path, (await edge.call(path)).status]).toEqual([path, 200]);
  });

  it('the rest is 503 in the common form, with Retry-After', async () => {
    for (const reply of [
      await edge.call(unknown),
      await client.post('/minting/order', {}),
      await edge.call('/health'),
    ]) {
      expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
      expect(reply.body).toEqual({
        statusCode: 503,
        code: 'temporarily_unavailable',
        message: 'The service does not answer',
        timestamp: expect.any(String),
        path: expect.any(String),
        requestId: reply.headers.get('x-request-id'),
      });
    }
  });
});
