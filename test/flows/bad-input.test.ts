import { beforeAll, describe, expect, it } from 'vitest';
import { zeroAddress, zeroHash, type Address } from 'viem';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import {
  call,
  chainClient,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { certificateInput, flexibleInput } from '../fixtures/metadata-inputs.ts';

let client: Client;
let collection: Address;
let certificates: Address;
let certificate: { _id: string; metadataHash: string };
let endpoint: string;

beforeAll(async () => {
  client = await newClient();
  const [a, b, created, { body: endpointReply }] = await Promise.all([
    deployContract(client),
    deployContract(client, { contractType: 'certificate' }),
    client.post('/metadata', certificateInput),
    client.post('/webhooks/endpoints', { url: 'https://example.com/hooks' }),
  ]);
  collection = a.contractAddress;
  certificates = b.contractAddress;
  certificate = created.body;
  endpoint = `/webhooks/endpoints/${endpointReply.id}`;
});

/** Values that PostgreSQL cannot store, that would not be sent on chain unchanged, or that are unsafe to render. */
const BAD_URLS = [
  'https://example.com/\u0000',
  'https://example.com/\ud800',
  'https://example.com/a b',
  'https://example.com/a\n',
  'https://example.com/a\tb',
  'https://example.com\\a',
  'https://user:secret@example.com/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  '',
];
const LONG_URL = `https://example.com/${'a'.repeat(2_048)}`;

const deployment = { name: 'Names', symbol: 'NAME', ercStandard: '721', contractType: 'standard' };
const orderOf = (fields: Record<string, unknown>) => ({
  chainId: '43114',
  contractAddress: collection,
  receiverAddress,
  tokenId: '1',
  ...fields,
});
const certificateOrder = (fields: Record<string, unknown>) =>
  orderOf({
    contractAddress: certificates,
    metadataId: certificate._id,
    metadataHash: certificate.metadataHash,
    tokenUri: 'https://example.com/1',
    ...fields,
  });

async function expectIssue(path: string, body: unknown, field: string, method: 'post' | 'patch' = 'post') {
  const reply = await client[method](path, body);
  expect([body, reply.status]).toEqual([body, 400]);
  expect(reply.body.errors.map((fault: { path: string }) => fault.path)).toEqual([field]);
}

describe('an invalid URL', () => {
  it.each(BAD_URLS)('is 400 in every URL field: %j', async (url) => {
    await expectIssue('/contracts/deploy', { ...deployment, metadataBaseUri: url }, 'metadataBaseUri');
    await expectIssue('/minting/order', certificateOrder({ tokenUri: url }), 'tokenUri');
    await expectIssue('/metadata', { ...flexibleInput, imageUrl: url }, '$.image');
    await expectIssue('/metadata', { ...flexibleInput, externalUrl: url }, '$.external_url');
    const utility = { ...flexibleInput.utility, validationUrl: url };
    await expectIssue('/metadata', { ...flexibleInput, utility }, '$.utility.validation_url');
    await expectIssue('/webhooks/endpoints', { url }, 'url');
    await expectIssue(endpoint, { url }, 'url', 'patch');
  });

  it('includes a long one, but in metadata', async () => {
    await expectIssue('/contracts/deploy', { ...deployment, metadataBaseUri: LONG_URL }, 'metadataBaseUri');
    await expectIssue('/minting/order', certificateOrder({ tokenUri: LONG_URL }), 'tokenUri');
    await expectIssue('/webhooks/endpoints', { url: LONG_URL }, 'url');
    expect((await client.post('/metadata', { ...flexibleInput, imageUrl: LONG_URL })).status).toBe(201);
  });

  it('includes one with a query or a fragment, where token ids are appended', async () => {
    for (const url of ['https://example.com/?a=b', 'https://example.com/#a']) {
      await expectIssue('/contracts/deploy', { ...deployment, metadataBaseUri: url }, 'metadataBaseUri');
    }
  });
});

describe('a URL with another script or scheme', () => {
  it('is stored and served unchanged', async () => {
    const url = 'https://예.kr/가.png';
    const { status, body } = await client.post('/metadata', { ...flexibleInput, imageUrl: url, externalUrl: url });
    expect(status).toBe(201);
    expect(body).toMatchObject({ imageUrl: url, externalUrl: url, standardFields: { image: url, external_url: url } });
  });

  it('is on chain unchanged', async () => {
    const base = 'ipfs://bafybeigdyrzt/토큰';
    const { contractAddress } = await deployContract(client, { metadataBaseUri: base });
    const onChain = { ...standard721, address: contractAddress, functionName: 'baseURI' } as const;
    expect(await chainClient().readContract(onChain)).toBe(base);
  });
});

describe('text that cannot be stored unchanged', () => {
  it.each(['a\u0000b', 'a\ud800', '\udc00'])('is 400 in every text field: %j', async (text) => {
    await expectIssue('/contracts/deploy', { ...deployment, name: text }, 'name');
    await expectIssue('/contracts/deploy', { ...deployment, symbol: text }, 'symbol');
    await expectIssue('/contracts/forwarder', { alias: text }, 'alias');
    await expectIssue('/metadata', { ...flexibleInput, name: text }, '$.name');
    await expectIssue('/metadata', { ...flexibleInput, description: text }, '$.description');
    const id = await createMetadata(client);
    await expectIssue(`/metadata/${id}/status`, { status: text }, 'status');
    await expectIssue('/webhooks/endpoints', { url: 'https://example.com/', description: text }, 'description');
    await expectIssue(endpoint, { description: text }, 'description', 'patch');
    const revocation = { chainId: '43114', contractAddress: certificates, tokenId: '1', from: receiverAddress };
    await expectIssue('/certificates/revoke', { ...revocation, reason: text }, 'reason');
  });

  it('is 400 in a query and in a path', async () => {
    for (const path of [
      '/contracts?status=%00',
      '/minting?cursor=%00',
      '/minting/by-token?contractAddress=%00&tokenId=1',
      `/api/wallet/nfts?wallet=${receiverAddress}&pageToken=%00`,
      '/contracts/%00',
      '/minting/by-tx/%00',
    ]) {
      expect([path, (await client.get(path)).status]).toEqual([path, 400]);
    }
  });

  it('is 400 if it is not UTF-8, and is never altered', async () => {
    const body = Buffer.concat([Buffer.from('{"alias":"caf'), Buffer.from([0xe9]), Buffer.from('"}')]);
    const headers = {
      'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
      'x-corporate-id': client.account.corporateId,
      'content-type': 'application/json',
    };
    const refused = await call('/contracts/forwarder', { method: 'POST', headers, body });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toBe('The body is not valid UTF-8');
    const { items } = (await client.get('/contracts?ercStandard=Forwarder')).body;
    expect(items).toEqual([]);
  });
});

describe('POST /minting/orders/batch', () => {
  it('refuses each invalid order by its index and accepts the others', async () => {
    const good = async (tokenId: string) => orderOf({ tokenId, metadataId: await createMetadata(client) });
    const faulty = [
      ...BAD_URLS.map((tokenUri) => certificateOrder({ tokenUri })),
      ...['\u0000', '\ud800', '5\n', '1e3', '-1', `${2n ** 256n}`, 5, null, {}].map((tokenId) =>
        orderOf({ tokenId, metadataId: certificate._id }),
      ),
      ...[2 ** 53, 1e300, 0.5, '1', null, []].map((amount) => orderOf({ amount, metadataId: certificate._id })),
      ...['\u0000', '0'.repeat(24), 'x', null].map((metadataId) => orderOf({ metadataId })),
      orderOf({ chainId: '43\u0000', metadataId: certificate._id }),
      orderOf({ receiverAddress: '\u0000', metadataId: certificate._id }),
      orderOf({ contractAddress: '\u0000', metadataId: certificate._id }),
      null,
      [],
      'order',
      7,
      JSON.parse('{"__proto__":{"chainId":"43114"}}'),
    ];
    const orders = [await good('1'), ...faulty, await good('2')];
    const { status, body } = await client.post('/minting/orders/batch', { orders });
    expect(status).toBe(200);
    expect(body.results.map(({ index }: { index: number }) => index)).toEqual(orders.map((_, index) => index));
    const accepted = body.results.filter(({ statusCode }: { statusCode: number }) => statusCode === 201);
    expect(accepted.map(({ index }: { index: number }) => index)).toEqual([0, orders.length - 1]);
    for (const { index, statusCode } of body.results.slice(1, -1)) {
      expect([orders[index], [400, 404].includes(statusCode)]).toEqual([orders[index], true]);
    }
    for (const { order } of accepted) {
      expect(await client.until(`/minting/${order.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
        status: 'CONFIRMED',
      });
    }
  });
});

describe('a body of another media type', () => {
  it('is 415 for every JSON route, as the API description says', async () => {
    const { body: document } = await call('/openapi.json');
    const headers = {
      'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
      // For the routes that take no global API key.
      'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
      'x-corporate-id': client.account.corporateId,
      'content-type': 'text/plain',
    };
    for (const [path, { post }] of Object.entries<{ post?: { requestBody?: object; responses: object } }>(
      document.paths,
    )) {
      if (post?.requestBody === undefined) continue;
      const reply = await call(path.replaceAll(/\{\w+\}/g, '0'.repeat(24)), { method: 'POST', headers, body: '{}' });
      expect([path, reply.status, '415' in post.responses]).toEqual([path, 415, true]);
      expect(reply.body).toMatchObject({ statusCode: 415 });
    }
  });
});

describe('a request that is certain to fail on chain', () => {
  it('is 400: a deployment to the zero address, or with its royalties', async () => {
    for (const field of ['currentOwnerAddress', 'royaltyReceiver', 'transferOwnerAddress']) {
      await expectIssue('/contracts/deploy', { ...deployment, [field]: zeroAddress }, field);
    }
  });

  it('is 400: a certificate with a hash of zeros', async () => {
    await expectIssue('/minting/order', certificateOrder({ metadataHash: zeroHash }), 'metadataHash');
  });
});
