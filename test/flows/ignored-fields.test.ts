import { beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { deployForwarder, newSigner } from '../fixtures/gasless.ts';
import { certificateInput, flexibleInput } from '../fixtures/metadata-inputs.ts';

type Loose = Reply['body'];

/** Values that no field of any form takes. */
const ODD_VALUES = ['', 'not a URL', 5, null, true, {}, ['x'], 'a\u0000b'];

const owner = newSigner();
let client: Client;
let single: Address;
let units: Address;
let certificates: Address;
let relayed: Address;
let lastToken = 0;

beforeAll(async () => {
  client = await newClient();
  const trustedForwarder = await deployForwarder(client);
  const contracts = await Promise.all([
    deployContract(client),
    deployContract(client, { ercStandard: '1155' }),
    deployContract(client, { contractType: 'certificate' }),
    deployContract(client, { trustedForwarder, currentOwnerAddress: owner.address }),
  ]);
  [single, units, certificates, relayed] = contracts.map(({ contractAddress }) => contractAddress) as [
    Address,
    Address,
    Address,
    Address,
  ];
});

/** An order of a new token with new metadata. */
async function orderOf(contractAddress: Address, fields: object = {}) {
  const metadataId = await createMetadata(client);
  lastToken += 1;
  return { chainId: '43114', contractAddress, receiverAddress, tokenId: String(lastToken), metadataId, ...fields };
}

const confirmed = (id: string) => client.until(`/minting/${id}`, ['CONFIRMED', 'FAILED']);
const pathsOf = ({ body }: { readonly body: Loose }) => body.errors?.map(({ path }: Loose) => path);

describe('what the specification calls ignored or response-only is taken, whatever it is', () => {
  it('in an order: its mode, and of a standard contract what only certificates have', async () => {
    for (const value of ODD_VALUES) {
      const ignored = { mode: value, tokenUri: value, metadataHash: value };
      for (const [path, contractAddress, more] of [
        ['/minting/order', single, {}],
        ['/minting/orders', units, { amount: 1 }],
      ] as const) {
        const { status, body } = await client.post(path, await orderOf(contractAddress, { ...ignored, ...more }));
        expect([value, status, body.mode]).toEqual([value, 201, 'direct']);
      }
    }
    const orders = await Promise.all(
      ODD_VALUES.map((value) => orderOf(single, { mode: value, tokenUri: value, metadataHash: value })),
    );
    const { body } = await client.post('/minting/orders/batch', { orders });
    expect(body).toMatchObject({ accepted: orders.length, refused: 0 });
    expect(await confirmed(body.results[0].order.id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('in a relayed mint of a standard contract, and in its signature', async () => {
    for (const value of ODD_VALUES) {
      const ignored = { tokenUri: value, metadataHash: value };
      const mint = await orderOf(relayed, { from: owner.address, ...ignored });
      const signed = await client.post('/minting/signature', { ...mint, privateKey: owner.privateKey });
      expect([value, signed.status]).toEqual([value, 200]);
      const { request, signature, forwarderAddress } = signed.body;
      const relay = {
        ...mint,
        signature,
        forwarderAddress,
        forwarderNonce: request.nonce,
        gasLimit: request.gas,
      };
      const { status, body } = await client.post('/minting/relay', relay);
      expect([value, status]).toEqual([value, 201]);
      expect(await client.post('/minting/relay', { ...relay, tokenUri: 'another' })).toMatchObject({
        status: 200,
        body: { id: body.id },
      });
      expect(await confirmed(body.id)).toMatchObject({ status: 'CONFIRMED' });
    }
  });

  it('in the deployment of certificates: royalties and a base URI', async () => {
    const deployment = { name: 'Certificates', symbol: 'CERT', ercStandard: '721' };
    const odd = { royaltyReceiver: {}, royaltyFeeBps: 'x', metadataBaseUri: 5 };
    const taken = await client.post('/contracts/deploy', { ...deployment, contractType: 'certificate', ...odd });
    expect([taken.status, taken.body.royaltyReceiver, taken.body.royaltyFeeBps]).toEqual([201, null, null]);
    const refused = await client.post('/contracts/deploy', { ...deployment, contractType: 'standard', ...odd });
    expect([refused.status, pathsOf(refused)]).toEqual([400, ['royaltyReceiver', 'royaltyFeeBps', 'metadataBaseUri']]);
  });

  it('in metadata: the token that a mint fills in', async () => {
    for (const value of ODD_VALUES) {
      const { status, body } = await client.post('/metadata', {
        ...flexibleInput,
        contractAddress: value,
        tokenId: value,
      });
      expect([value, status, body.contractAddress, body.tokenId]).toEqual([value, 201, '', '']);
    }
  });

  it('in the signature of a transfer: its note', async () => {
    const { body } = await client.post('/minting/order', await orderOf(single));
    await confirmed(body.id);
    for (const note of [...ODD_VALUES, 'x'.repeat(10_000)]) {
      const transfer = { chainId: '43114', contractAddress: single, tokenId: body.tokenId, note };
      const reply = await client.post('/transfer/signature', {
        ...transfer,
        from: receiverAddress,
        to: owner.address,
        privateKey: owner.privateKey,
      });
      expect(pathsOf(reply) ?? []).not.toContain('note');
    }
  });

  it('in the headers of requests that need none', async () => {
    const { body } = await client.post('/minting/order', await orderOf(single));
    await confirmed(body.id);
    const headers = { 'content-type': 'application/json', 'x-api-key': 'wrong', 'x-corporate-id': 'nobody' };
    expect((await call(`/metadata/${single}/${body.tokenId}`, { headers })).status).toBe(200);
    expect((await call('/health', { headers })).status).toBe(200);
    const own = {
      'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
      'x-corporate-id': client.account.corporateId,
    };
    const list = `/api/wallet/nfts?wallet=${receiverAddress}&pageToken=&blockchains=testnet&blockchains=mainnet`;
    for (const type of ['application/json', 'text/plain']) {
      expect((await call(list, { headers: { ...own, 'content-type': type } })).status).toBe(200);
    }
    const admin = { ...headers, 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' };
    expect((await call('/status', { headers: admin })).status).toBe(200);
  });
});

describe('of a certificate', () => {
  it('tokenUri and metadataHash are required and checked, each fault by its name', async () => {
    const { body: metadata } = await client.post('/metadata', certificateInput);
    const order = await orderOf(certificates, { metadataId: metadata._id, mode: {} });
    const post = (fields: object) => client.post('/minting/order', { ...order, ...fields });
    for (const value of [undefined, ...ODD_VALUES]) {
      expect([value, pathsOf(await post({ tokenUri: value, metadataHash: value }))]).toEqual([
        value,
        ['tokenUri', 'metadataHash'],
      ]);
      const tokenUri = 'https://example.com/certificates/1';
      expect([value, pathsOf(await post({ tokenUri, metadataHash: value }))]).toEqual([value, ['metadataHash']]);
    }
    const { status, body } = await post({
      tokenUri: 'https://example.com/certificates/1',
      metadataHash: metadata.metadataHash,
    });
    expect(status).toBe(201);
    expect(await confirmed(body.id)).toMatchObject({ status: 'CONFIRMED' });
  });
});

/** A text of so many UTF-16 code units, a multiple of three. */
const long = (length: number) => 'é🎟'.repeat(length / 3);

describe('metadata is bounded by its size alone', () => {
  const texts = {
    name: long(999),
    description: 'd'.repeat(300_000),
    imageUrl: `https://example.com/${'i'.repeat(5_000)}`,
    externalUrl: `https://example.com/${'e'.repeat(5_000)}`,
    attributes: [{ traitType: long(3_000), value: long(5_001), displayType: long(300) }],
  };

  it('long texts are stored, edited, minted and served, also by a batch', async () => {
    const data = { ['k'.repeat(3_000)]: { [long(3_000)]: ['v'.repeat(10_000)] } };
    const created = await client.post('/metadata', { ...flexibleInput, ...texts, utility: { type: 'Flexible', data } });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ ...texts, utility: { data } });
    const orders = [await orderOf(units, { metadataId: created.body._id, amount: 1 })];
    const { body } = await client.post('/minting/orders/batch', { orders });
    expect(await confirmed(body.results[0].order.id)).toMatchObject({ status: 'CONFIRMED' });
    const served = await call(`/metadata/${units}/${orders[0]?.tokenId}`);
    expect([served.status, served.body.name]).toEqual([200, texts.name]);
    expect(served.body.description === texts.description).toBe(true);
    expect(served.body.utility.data).toEqual(data);
    const edited = await client.patch(`/metadata/${created.body._id}`, { name: long(1_500) }, { 'if-match': '"1"' });
    expect([edited.status, edited.body.name]).toEqual([200, long(1_500)]);
    const { items } = (await client.get('/metadata?limit=2')).body;
    const listed = items.find(({ _id }: Loose) => _id === created.body._id);
    expect(listed.description.length).toBe(texts.description.length);
  });

  it('also of a certificate, whose hash covers them', async () => {
    const { body: metadata } = await client.post('/metadata', { ...certificateInput, description: texts.description });
    const order = await orderOf(certificates, { metadataId: metadata._id });
    const tokenUri = 'https://example.com/certificates/2';
    const { body } = await client.post('/minting/order', {
      ...order,
      tokenUri,
      metadataHash: metadata.metadataHash,
    });
    expect(await confirmed(body.id)).toMatchObject({ status: 'CONFIRMED' });
  });

  it('what JSON and the database cannot hold is 400, and more than 512 KB is 413', async () => {
    for (const text of ['a\u0000', '\ud800']) {
      expect(pathsOf(await client.post('/metadata', { ...flexibleInput, description: text }))).toEqual([
        '$.description',
      ]);
    }
    const { status } = await client.post('/metadata', { ...flexibleInput, description: 'd'.repeat(512 * 1_024) });
    expect(status).toBe(413);
  });
});
