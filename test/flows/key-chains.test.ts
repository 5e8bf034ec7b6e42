import { beforeAll, describe, expect, it } from 'vitest';
import type { Address } from 'viem';
import { call, createMetadata, deployContract, newClient, type Client, type Reply } from '../fixtures/client.ts';
import { deployForwarder, newSigner, nonceOf, signedTransfer, type Signer } from '../fixtures/gasless.ts';
import { adminOf, ask, keyHeaders, makeKey } from '../fixtures/keys.ts';

const MAIN = '43114';
const TEST = '43113';

/** What an account has on one chain. */
interface Records {
  readonly chainId: string;
  readonly chainName: string;
  readonly contractAddress: Address;
  readonly contractId: string;
  readonly metadataId: string;
  readonly order: Record<string, unknown>;
  readonly ownershipTransfer: string;
  readonly notification: string;
  readonly baseUriChange: string;
  /** Made by a key of the chain's kind before the order. */
  readonly endpointId: string;
  /** Of the order's event, to the account's webhook. */
  readonly deliveryId: string;
}

type Headers = Record<string, string>;

let client: Client;
let main: Records;
let test: Records;
let holder: Signer;
let forwarder: Address;
let transfer: Record<string, unknown>;
/** The headers of a key of each kind. */
let keys: { readonly live: Headers; readonly test: Headers };

async function recordsOn(chainId: string, chainName: string, key: Headers): Promise<Records> {
  const { body: endpoint } = await ask(key, '/webhooks/endpoints', { url: 'http://127.0.0.1:9/' });
  const { contractAddress, _id: contractId } = await deployContract(client, { chainId });
  const metadataId = await createMetadata(client, { chainId });
  const ordered = await client.post('/minting/order', {
    chainId,
    contractAddress,
    receiverAddress: holder.address,
    tokenId: '1',
    metadataId,
  });
  const order = await client.until(`/minting/${ordered.body.id}`, ['CONFIRMED', 'FAILED']);
  const other = await deployContract(client, { chainId });
  const { body } = await client.post('/contracts/transfer-ownership', {
    chainId,
    contractAddress: other.contractAddress,
    newOwnerAddress: holder.address,
  });
  const { body: notification } = await client.post('/chain-notifications', { metadataId });
  const { body: baseUriChange } = await client.post('/contracts/base-uri', { chainId, contractAddress });
  const { body: deliveries } = await client.get(`/webhooks/deliveries?orderId=${ordered.body.id}`);
  const { id: deliveryId } = deliveries.items.find(
    ({ endpointId }: { endpointId: string }) => endpointId !== endpoint.id,
  );
  const own = {
    contractAddress,
    contractId,
    metadataId,
    order,
    ownershipTransfer: body.jobId,
    notification: notification.id,
    baseUriChange: baseUriChange.id,
  };
  return { chainId, chainName, ...own, endpointId: endpoint.id, deliveryId };
}

beforeAll(async () => {
  client = await newClient();
  holder = newSigner();
  forwarder = await deployForwarder(client);
  const made = await Promise.all([makeKey(client), makeKey(client, { kind: 'test' })]);
  keys = { live: keyHeaders(made[0]), test: keyHeaders(made[1]) };
  main = await recordsOn(MAIN, 'mainnet', keys.live);
  test = await recordsOn(TEST, 'testnet', keys.test);
  const move = { contractAddress: main.contractAddress, to: holder.address, tokenId: '1' };
  const nonce = await nonceOf(forwarder, holder.address);
  const sent = await client.post('/transfer/execute', signedTransfer(holder, forwarder, move, { nonce }));
  transfer = await client.until(`/transfer/${sent.body.id}`, ['CONFIRMED', 'FAILED']);
});

const mintOf = ({ chainId, contractAddress, metadataId }: Records) => ({
  chainId,
  contractAddress,
  receiverAddress: holder.address,
  tokenId: '9',
  metadataId,
});
const metadataOn = (chainId: string) => ({
  chainId,
  name: 'A token',
  imageUrl: 'https://example.com/a.png',
  utility: { type: 'Flexible', data: { status: 'Unused' } },
});
const contractOn = (chainId: string | undefined) => ({
  chainId,
  name: 'Own',
  symbol: 'OWN',
  ercStandard: '721',
  contractType: 'standard',
});

/** Every route with a chain, or with a record that has one. */
const CASES: Readonly<Record<string, (as: Headers, of: Records) => Promise<Reply>>> = {
  'POST /contracts/deploy': (as, { chainId }) => ask(as, '/contracts/deploy', contractOn(chainId)),
  'POST /contracts/forwarder': (as, { chainId }) => ask(as, '/contracts/forwarder', { chainId, alias: 'own' }),
  'POST /contracts/read': (as, { chainId, contractAddress }) =>
    ask(as, '/contracts/read', { chainId, contractAddress, method: 'owner' }),
  'POST /contracts/register': (as, { chainId, contractAddress }) =>
    ask(as, '/contracts/register', { chainId, contractAddress, ercStandard: '721', contractType: 'standard' }),
  'POST /contracts/transfer-ownership': (as, { chainId, contractAddress }) =>
    ask(as, '/contracts/transfer-ownership', {
      chainId,
      contractAddress,
      newOwnerAddress: client.account.walletAddress,
    }),
  'GET /contracts/transfer-ownership/{id}': (as, { ownershipTransfer }) =>
    ask(as, `/contracts/transfer-ownership/${ownershipTransfer}`),
  'POST /contracts/transfer-ownership/cancel': (as, { ownershipTransfer }) =>
    ask(as, '/contracts/transfer-ownership/cancel', { id: ownershipTransfer }),
  'POST /contracts/base-uri': (as, { chainId, contractAddress }) =>
    ask(as, '/contracts/base-uri', { chainId, contractAddress }),
  'GET /contracts/base-uri/{id}': (as, { baseUriChange }) => ask(as, `/contracts/base-uri/${baseUriChange}`),
  'POST /contracts/base-uri/cancel': (as, { baseUriChange }) =>
    ask(as, '/contracts/base-uri/cancel', { id: baseUriChange }),
  'POST /contracts/cancel': (as, { contractId }) => ask(as, '/contracts/cancel', { id: contractId }),
  'GET /contracts?chainId': (as, { chainId }) => ask(as, `/contracts?chainId=${chainId}`),
  'GET /contracts/{id}': (as, { contractId }) => ask(as, `/contracts/${contractId}`),
  'GET /contracts/{id}/metadata': (as, { contractId }) => ask(as, `/contracts/${contractId}/metadata`),
  'GET /contracts/{id}/metadata/versions': (as, { contractId }) =>
    ask(as, `/contracts/${contractId}/metadata/versions`),
  'PUT /contracts/{id}/metadata': (as, { contractId }) =>
    call(`/contracts/${contractId}/metadata`, {
      method: 'PUT',
      headers: { ...as, 'content-type': 'application/json' },
      body: '{"name":"Own"}',
    }),
  'POST /metadata': (as, { chainId }) => ask(as, '/metadata', metadataOn(chainId)),
  'GET /metadata?chainId': (as, { chainId }) => ask(as, `/metadata?chainId=${chainId}`),
  'GET /metadata/{id}': (as, { metadataId }) => ask(as, `/metadata/${metadataId}`),
  'POST /metadata/{id}/status': (as, { metadataId }) => ask(as, `/metadata/${metadataId}/status`, { status: 'Used' }),
  'PATCH /metadata/{id}': (as, { metadataId }) =>
    call(`/metadata/${metadataId}`, {
      method: 'PATCH',
      headers: { ...as, 'content-type': 'application/json', 'if-match': '"1"' },
      body: '{"name":"Own"}',
    }),
  'GET /metadata/{id}/versions': (as, { metadataId }) => ask(as, `/metadata/${metadataId}/versions`),
  'POST /metadata/{id}/freeze': (as, { metadataId }) => ask(as, `/metadata/${metadataId}/freeze`, {}),
  'POST /chain-notifications': (as, { metadataId }) => ask(as, '/chain-notifications', { metadataId }),
  'POST /chain-notifications of a collection': (as, { contractId }) => ask(as, '/chain-notifications', { contractId }),
  'GET /chain-notifications/{id}': (as, { notification }) => ask(as, `/chain-notifications/${notification}`),
  'POST /chain-notifications/cancel': (as, { notification }) =>
    ask(as, '/chain-notifications/cancel', { id: notification }),
  'POST /minting/order': (as, of) => ask(as, '/minting/order', mintOf(of)),
  'POST /minting/orders': (as, of) => ask(as, '/minting/orders', mintOf(of)),
  'POST /minting/signature': (as, of) =>
    ask(as, '/minting/signature', { ...mintOf(of), from: holder.address, privateKey: holder.privateKey }),
  'POST /minting/prepare': (as, of) => ask(as, '/minting/prepare', { ...mintOf(of), from: holder.address }),
  'POST /minting/relay': (as, of) =>
    ask(as, '/minting/relay', { ...mintOf(of), from: holder.address, signature: `0x${'1'.repeat(130)}` }),
  'POST /minting/cancel': (as, { order }) => ask(as, '/minting/cancel', { id: order['id'] }),
  'POST /minting/occupancy/check': (as, { chainId, contractAddress }) =>
    ask(as, '/minting/occupancy/check', { chainId, contractAddress, tokenId: '1' }),
  'GET /minting/by-tx/{txHash}': (as, { order }) => ask(as, `/minting/by-tx/${String(order['txHash'])}`),
  'GET /minting/{id}': (as, { order }) => ask(as, `/minting/${String(order['id'])}`),
  'POST /transfer/signature': (as, { chainId, contractAddress }) =>
    ask(as, '/transfer/signature', {
      chainId,
      contractAddress,
      tokenId: '1',
      from: holder.address,
      to: holder.address,
      privateKey: holder.privateKey,
    }),
  'POST /transfer/prepare': (as, { chainId, contractAddress }) =>
    ask(as, '/transfer/prepare', { chainId, contractAddress, tokenId: '1', from: holder.address, to: holder.address }),
  'POST /transfer/execute': (as, { chainId, contractAddress }) => {
    const move = { contractAddress, to: holder.address, tokenId: '1' };
    return ask(as, '/transfer/execute', { ...signedTransfer(holder, forwarder, move, { nonce: 1 }), chainId });
  },
  'GET /api/wallet/nfts?blockchains': (as, { chainName }) =>
    ask(as, `/api/wallet/nfts?wallet=${holder.address}&blockchains=${chainName}`),
  'GET /holdings?chainId': (as, { chainId }) => ask(as, `/holdings?chainId=${chainId}`),
  'GET /webhooks/deliveries/{id}': (as, { deliveryId }) => ask(as, `/webhooks/deliveries/${deliveryId}`),
  'POST /webhooks/deliveries/{id}/replay': (as, { deliveryId }) =>
    ask(as, `/webhooks/deliveries/${deliveryId}/replay`, {}),
  'POST /webhooks/deliveries/replay': (as, { endpointId }) =>
    ask(as, '/webhooks/deliveries/replay', { since: new Date(0).toISOString(), endpointId }),
  'GET /webhooks/endpoints/{id}': (as, { endpointId }) => ask(as, `/webhooks/endpoints/${endpointId}`),
  'PATCH /webhooks/endpoints/{id}': (as, { endpointId }) => changeEndpoint(as, endpointId),
  'POST /webhooks/endpoints/{id}/rotate-secret': (as, { endpointId }) =>
    ask(as, `/webhooks/endpoints/${endpointId}/rotate-secret`, {}),
  'POST /webhooks/endpoints/{id}/test': (as, { endpointId }) => ask(as, `/webhooks/endpoints/${endpointId}/test`, {}),
};

function changeEndpoint(headers: Headers, id: string): Promise<Reply> {
  const json = { ...headers, 'content-type': 'application/json' };
  return call(`/webhooks/endpoints/${id}`, { method: 'PATCH', headers: json, body: '{"description":"Own"}' });
}

describe('a key', () => {
  it.each(Object.entries(CASES))('is 403 on chains of the other kind: %s', async (_, request) => {
    const refused = [await request(keys.test, main), await request(keys.live, test)];
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
    expect(refused.map(({ body }) => body.message).join()).toMatch(/(live|test|main) (key works|chains)/);
  });

  it.each(Object.entries(CASES))('is not refused on chains of its own kind: %s', async (_, request) => {
    for (const reply of [await request(keys.live, main), await request(keys.test, test)]) {
      expect([reply.status === 403, reply.status < 500]).toEqual([false, true]);
    }
  });

  it('is 403 for the default chain of a deployment if that is of the other kind', async () => {
    expect((await ask(keys.test, '/contracts/deploy', contractOn(undefined))).status).toBe(403);
    expect((await ask(keys.test, '/contracts/forwarder', { alias: 'own' })).status).toBe(403);
  });

  it('reads a transfer by id and by transaction only on chains of its kind', async () => {
    for (const path of [`/transfer/${String(transfer['id'])}`, `/transfer/by-tx/${String(transfer['txHash'])}`]) {
      expect([(await ask(keys.live, path)).status, (await ask(keys.test, path)).status]).toEqual([200, 403]);
    }
  });

  it('cancels no order on a chain of the other kind', async () => {
    expect((await ask(keys.test, '/transfer/cancel', { id: transfer['id'] })).status).toBe(403);
    const account = `/admin/accounts/${client.account.corporateId}`;
    await ask(adminOf(client), `${account}/pause`, {});
    const { body: order } = await client.post('/minting/order', {
      ...mintOf(main),
      tokenId: '2',
      metadataId: await createMetadata(client, { chainId: MAIN }),
    });
    expect((await ask(keys.test, '/minting/cancel', { id: order.id })).status).toBe(403);
    expect((await client.get(`/minting/${order.id}`)).body).toMatchObject({ cancelRequestedAt: null });
    expect((await ask(keys.live, '/minting/cancel', { id: order.id })).body).toMatchObject({ status: 'CANCELLED' });
    await ask(adminOf(client), `${account}/resume`, {});
  });

  it('creates endpoints that get the events of chains of its kind only', async () => {
    const found = await Promise.all(
      [main, test].map(({ endpointId }) => client.get(`/webhooks/deliveries?limit=100&endpointId=${endpointId}`)),
    );
    const [ofMain, ofTest] = found.map(({ body }) => body.items.map(({ orderId }: { orderId: string }) => orderId));
    expect([ofMain.includes(main.order['id']), ofMain.includes(test.order['id'])]).toEqual([true, false]);
    expect([ofTest.includes(main.order['id']), ofTest.includes(test.order['id'])]).toEqual([false, true]);
  });

  it('lists endpoints and deliveries of its kind, and those of both or of no chain', async () => {
    const endpoints = await Promise.all([keys.live, keys.test].map((key) => idsOf(key, '/webhooks/endpoints')));
    const [webhook] = (await client.get('/webhooks/endpoints')).body.items;
    expect(endpoints).toEqual([
      [webhook.id, main.endpointId],
      [webhook.id, test.endpointId],
    ]);
    const deliveries = await Promise.all(
      [keys.live, keys.test].map((key) => idsOf(key, '/webhooks/deliveries?limit=100')),
    );
    expect(deliveries.map((ids) => [ids.includes(main.deliveryId), ids.includes(test.deliveryId)])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('neither reads nor replays a delivery to an endpoint of the other kind that is about no chain', async () => {
    const { body: sent } = await ask(keys.live, `/webhooks/endpoints/${main.endpointId}/test`, {});
    const path = `/webhooks/deliveries/${sent.id}`;
    const statuses = async (key: Headers) => [
      (await ask(key, path)).status,
      (await ask(key, `${path}/replay`, {})).status === 403,
      (await idsOf(key, '/webhooks/deliveries?eventType=webhook.test')).includes(sent.id),
    ];
    expect(await statuses(keys.live)).toEqual([200, false, true]);
    expect(await statuses(keys.test)).toEqual([403, true, false]);
  });

  it('changes no endpoint that gets the events of both kinds of chains', async () => {
    const { body: both } = await client.post('/webhooks/endpoints', { url: 'http://127.0.0.1:9/' });
    expect(both.chainKind).toBe(null);
    const path = `/webhooks/endpoints/${both.id}`;
    expect((await ask(keys.live, path)).status).toBe(200);
    expect((await changeEndpoint(keys.live, both.id)).status).toBe(403);
    expect((await ask(keys.live, `${path}/rotate-secret`, {})).status).toBe(403);
    expect((await call(path, { method: 'DELETE', headers: keys.live })).status).toBe(403);
    expect((await client.get(path)).body).toEqual({ ...both, secret: undefined });
    await client.delete(path);
  });

  it("reads the account's spend on chains of its kind only", async () => {
    expect([await spendOf(keys.live), await spendOf(keys.test)]).toEqual([[MAIN], [TEST]]);
  });

  it.each(['/contracts', '/metadata', '/minting'])('lists only records on chains of its kind: %s', async (path) => {
    const chainsOf = async (headers: Headers) => {
      const { body } = await ask(headers, `${path}?limit=100`);
      return new Set(body.items.map(({ chainId }: { chainId: string }) => chainId));
    };
    expect(await chainsOf(keys.live)).toEqual(new Set([MAIN]));
    expect(await chainsOf(keys.test)).toEqual(new Set([TEST]));
  });

  it('lists only transfers, and orders of a token, on chains of its kind', async () => {
    const [byLive, byTest] = await Promise.all([foundBy(keys.live), foundBy(keys.test)]);
    expect(byLive).toEqual(expect.arrayContaining([transfer['id'], main.order['id']]));
    expect(byTest).toEqual([]);
  });

  it('lists only tokens on chains of its kind in a wallet', async () => {
    expect([await heldChains(keys.live), await heldChains(keys.test)]).toEqual([[MAIN], [TEST]]);
  });

  it('accepts the orders of a batch on chains of its kind, and refuses the others with 403', async () => {
    const { status, body } = await ask(keys.live, '/minting/orders/batch', { orders: [mintOf(main), mintOf(test)] });
    expect([status, body.accepted + body.refused]).toEqual([200, 2]);
    expect(body.results[0].statusCode).not.toBe(403);
    expect(body.results[1]).toMatchObject({ index: 1, statusCode: 403 });
  });

  it('changes no record on a chain of the other kind', async () => {
    const status = async () => (await client.get(`/metadata/${test.metadataId}`)).body.currentStatus;
    const before = await status();
    await ask(keys.live, `/metadata/${test.metadataId}/status`, { status: 'Taken' });
    expect(await status()).toBe(before);
  });

  it('that is global works on chains of both kinds', async () => {
    expect((await client.get(`/contracts/${main.contractId}`)).status).toBe(200);
    expect((await client.get(`/contracts/${test.contractId}`)).status).toBe(200);
  });
});

/** The ids of a list that a caller sees. */
async function idsOf(headers: Headers, path: string): Promise<string[]> {
  return (await ask(headers, path)).body.items.map(({ id }: { id: string }) => id);
}

/** The chains on which a caller sees the account's spend. */
async function spendOf(headers: Headers): Promise<string[]> {
  return Object.keys((await ask(headers, '/limits')).body.used.spentToday);
}

/** The ids of the transfers, and of the orders of a token on a main chain, that a caller sees. */
async function foundBy(headers: Headers): Promise<string[]> {
  const [transfers, orders] = await Promise.all([
    ask(headers, '/transfer'),
    ask(headers, `/minting/by-token?contractAddress=${main.contractAddress}&tokenId=1`),
  ]);
  return [...transfers.body.items, ...orders.body].map(({ id }: { id: string }) => id);
}

/** The chains of the tokens that a caller sees in the holder's wallet. */
async function heldChains(headers: Headers): Promise<string[]> {
  const { body } = await ask(headers, `/api/wallet/nfts?wallet=${holder.address}`);
  return body.items.map(({ chainId }: { chainId: string }) => chainId);
}
