import { Client as Postgres } from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { encodeFunctionData, type Address } from 'viem';
import { standard1155 } from '../../contracts/artifacts/Standard1155.ts';
import { standard721 } from '../../contracts/artifacts/Standard721.ts';
import { storeOrder } from '../fixtures/stored-order.ts';
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
import { setFaults } from '../fixtures/fault-proxy.ts';
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

  it('refuses metadata that no longer fits its schema', async () => {
    const metadataId = await createMetadata(client);
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    await database.query("update metadata set standard_fields = standard_fields - 'name' where id = $1", [metadataId]);
    await database.end();
    const { status, body } = await post({ tokenId: '902', metadataId });
    expect([status, body.message]).toEqual([400, 'Metadata validation failed']);
    expect(body.errors).toMatchObject([{ path: '$.name', code: 'required' }]);
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
    const { rows } = await database.query(
      `select resource, contract_id, contract_address, erc_standard, receiver_address, token_id, amount from orders where id = $1`,
      [id],
    );
    const columns = { ...rows[0], metadata_id: await createMetadata(client) };
    await storeOrder(database, client, 'mint', late, { columns });
    await database.end();
    await cleanUpAfter(6);
    expect(await client.until(`/minting/${late}`, ['CONFIRMED', 'FAILED'])).toMatchObject({
      status: 'FAILED',
      errorMessage: `Token 73 exists and belongs to ${receiverAddress}`,
      txHash: null,
    });
    const place = { chainId: '43114', contractAddress: erc721, tokenId: '73' };
    const { body } = await client.post('/minting/occupancy/check', place);
    expect(body.activeOrderCount, 'also those that have failed').toBe(2);
  });

  it('refuses metadata that an ERC-1155 order has used for an ERC-721 token, although it is linked to none', async () => {
    const units = { contractAddress: erc1155, tokenId: '18', amount: 1 };
    await confirmed(units);
    const metadataId = await createMetadata(client);
    await confirmed({ ...units, metadataId });
    expect((await client.get(`/metadata/${metadataId}`)).body).toMatchObject({ contractAddress: '' });
    const refused = await post({ tokenId: '118', metadataId });
    expect(refused).toMatchObject({ status: 409, body: { message: 'ERC-1155 orders use this metadata' } });
    const place = { chainId: '43114', contractAddress: erc721, tokenId: '118', metadataId };
    expect((await client.post('/minting/occupancy/check', place)).body).toMatchObject({ available: false });
    expect((await post({ ...units, metadataId })).status).toBe(201);
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
  it('lists those of a token newest first', async () => {
    const fields = { contractAddress: erc1155, tokenId: '9', amount: 1, metadataId: await createMetadata(client) };
    const [first, second] = [await post(fields), await post(fields)];
    const { body } = await client.get(`/minting/by-token?contractAddress=${erc1155}&tokenId=9`);
    expect(body.map(({ id }: { id: string }) => id)).toEqual([second.body.id, first.body.id]);
  });

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
});

describe('POST /minting/orders/batch', () => {
  it('refuses an empty batch and one of 101', async () => {
    expect((await client.post('/minting/orders/batch', { orders: [] })).status).toBe(400);
    expect(
      (await client.post('/minting/orders/batch', { orders: Array.from({ length: 101 }, () => ({})) })).status,
    ).toBe(400);
  });
});
