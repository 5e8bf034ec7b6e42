import { beforeAll, describe, expect, it } from 'vitest';
import { timeOf } from '../../src/core/record-id.ts';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  orderMints,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { insertFailedDelivery } from '../fixtures/failed-delivery.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const chainId = '43114';

let receiver: WebhookReceiver;
let client: Client;
let contract: Awaited<ReturnType<typeof deployContract>>;
let minted: Reply['body'];

const headers = { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' };
const admin = (path: string) => call(path, { headers });
const act = (path: string) => call(path, { method: 'POST', headers });
const found = async (q: string): Promise<string[]> =>
  (await admin(`/admin/orders?q=${encodeURIComponent(q)}`)).body.items.map(({ id }: { id: string }) => id);

beforeAll(async () => {
  receiver = await startWebhookReceiver(() => 500);
  client = await newClient({ webhookUrl: receiver.url });
  contract = await deployContract(client);
  const [order] = await orderMints(client, chainId, contract.contractAddress, 1);
  minted = await client.until(`/minting/${order?.body.id}`, ['CONFIRMED']);
});

describe('GET /admin/orders', () => {
  it('finds an order by its id, its transaction, its token, its receiver, its contract and the wallet that signed it', async () => {
    expect(await found(minted.id)).toEqual([minted.id]);
    expect(await found(minted.txHash.toUpperCase().replace('0X', '0x'))).toEqual([minted.id]);
    expect(await found(`${contract.contractAddress}/1`)).toEqual([minted.id]);
    expect(await found(`${contract.contractAddress} 1`)).toEqual([minted.id]);
    expect(await found(contract.contractAddress)).toEqual([minted.id, contract._id]);
    expect(await found(client.account.walletAddress)).toEqual([minted.id, contract._id]);
    expect(await found(receiverAddress)).not.toEqual([]);
    expect(await found(`${contract.contractAddress}/2`)).toEqual([]);
    expect(await found('0'.repeat(24))).toEqual([]);
  });

  it('lists the newest of all accounts without a search, and refuses what it cannot search for', async () => {
    const { status, body } = await admin('/admin/orders');
    expect(status).toBe(200);
    const ids = body.items.map(({ id }: { id: string }) => id);
    expect(ids.length).toBeGreaterThan(1);
    expect(ids.length).toBeLessThanOrEqual(50);
    for (const q of ['watch', '0x12', `${contract.contractAddress}/x`, `${contract.contractAddress}/1/2`, "'"]) {
      const reply = await admin(`/admin/orders?q=${encodeURIComponent(q)}`);
      expect([q, reply.status, reply.body.errors?.[0]?.path]).toEqual([q, 400, 'q']);
    }
  });
});

/** The orders of the account, filtered. */
const listed = async (query: Record<string, string>): Promise<Reply['body']> => {
  const { corporateId } = client.account;
  return (await admin(`/admin/orders?${new URLSearchParams({ corporateId, ...query }).toString()}`)).body;
};
const ids = async (query: Record<string, string>): Promise<string[]> =>
  (await listed(query)).items.map(({ id }: { id: string }) => id);

describe('GET /admin/orders without a search', () => {
  it('names the account, the token and the contract of each order', async () => {
    const { items } = await listed({ state: 'confirmed', kind: 'mint' });
    expect(items).toEqual([
      expect.objectContaining({
        id: minted.id,
        corporateId: client.account.corporateId,
        corporateName: 'Test',
        contractAddress: contract.contractAddress.toLowerCase(),
        tokenId: '1',
        errorMessage: null,
        hold: null,
      }),
    ]);
  });

  it('has the orders of an account, a kind, a state, a contract and a time, a page at a time', async () => {
    expect(await ids({})).toEqual([minted.id, contract._id]);
    expect(await ids({ kind: 'deploy' })).toEqual([contract._id]);
    expect(await ids({ state: 'failed' })).toEqual([]);
    expect(await ids({ state: 'unfinished' })).toEqual([]);
    expect(await ids({ contractAddress: contract.contractAddress })).toEqual([minted.id, contract._id]);
    expect(await ids({ contractAddress: receiverAddress })).toEqual([]);
    const orderedAt = new Date(timeOf(minted.id)).toISOString();
    expect(await ids({ createdTo: orderedAt })).toEqual([contract._id]);
    expect(await ids({ createdFrom: orderedAt })).toEqual([minted.id]);
    expect(await ids({ corporateId: 'nobody' })).toEqual([]);
    const first = await listed({ limit: '1', contractAddress: contract.contractAddress });
    expect(first.items.map(({ id }: { id: string }) => id)).toEqual([minted.id]);
    expect(await ids({ cursor: first.nextCursor, contractAddress: contract.contractAddress })).toEqual([contract._id]);
  });

  it('has the orders that are held, with the reason in words, and finds them by it', async () => {
    const { corporateId } = client.account;
    await act(`/admin/accounts/${corporateId}/pause`);
    const { body: order } = await client.post('/minting/order', {
      chainId,
      contractAddress: contract.contractAddress,
      receiverAddress,
      // No part of an id by chance.
      tokenId: '7600000067',
      metadataId: await createMetadata(client),
    });
    await expect.poll(() => ids({ state: 'held' })).toEqual([order.id]);
    const { items } = await listed({ state: 'waiting' });
    expect(items).toMatchObject([{ id: order.id, hold: 'PAUSED', holdDetail: 'The operator has paused the account' }]);
    expect(await ids({ text: 'HAS PAUSED' })).toEqual([order.id]);
    expect(await ids({ text: '7600000067' })).toEqual([order.id]);
    expect(await ids({ text: corporateId.slice(0, 8).toUpperCase() })).toHaveLength(3);
    expect(await ids({ text: 'nothing has this text' })).toEqual([]);
    await act(`/admin/orders/${order.id}/cancel`);
    await act(`/admin/accounts/${corporateId}/resume`);
    expect(await ids({ state: 'cancelled' })).toEqual([order.id]);
  });

  it('refuses a search that is not alone, and states and kinds that there are not', async () => {
    for (const [query, field] of [
      [`q=${minted.id}&kind=mint`, 'q'],
      ['state=lost', 'state'],
      ['kind=gift', 'kind'],
      ['contractAddress=0x12', 'contractAddress'],
    ]) {
      const { status, body } = await admin(`/admin/orders?${query}`);
      expect([query, status, body.errors?.[0]?.path]).toEqual([query, 400, field]);
    }
  });
});

describe('GET /admin/orders/{id}', () => {
  it('tells what was ordered, signed and mined, and where its event went', async () => {
    await expect
      .poll(async () => (await admin(`/admin/orders/${minted.id}`)).body.deliveries[0]?.attempts.length)
      .toBeGreaterThan(0);
    const { body } = await admin(`/admin/orders/${minted.id}`);
    expect(body).toMatchObject({
      id: minted.id,
      corporateId: client.account.corporateId,
      state: 'confirmed',
      txHash: minted.txHash,
      order: minted,
      endings: 1,
      spent: minted.totalFeeNative,
      attempts: [{ number: 1, hash: minted.txHash, purpose: 'effect', isMined: true }],
      deliveries: [{ eventType: 'mint.confirmed', orderId: minted.id, url: receiver.url }],
    });
  });

  it('is the ownership transfer once it follows a deployment, whose id it has', async () => {
    const own = await newClient();
    const contracts = await Promise.all(
      Array.from({ length: 4 }, () => deployContract(own, { transferOwnerAddress: receiverAddress })),
    );
    for (const { _id } of contracts) {
      const { body } = await admin(`/admin/orders/${_id}`);
      expect(body).toMatchObject({ id: _id, kind: 'ownership-transfer', order: { jobId: _id } });
    }
  });

  it('is each order of a bundle, the first one too, after which the bundle is named', async () => {
    const own = await newClient();
    const { contractAddress } = await deployContract(own);
    const orders = await orderMints(own, chainId, contractAddress, 20);
    const stories = await Promise.all(
      orders.map(async ({ body: { id } }) => {
        await own.until(`/minting/${id}`, ['CONFIRMED']);
        return (await admin(`/admin/orders/${id}`)).body;
      }),
    );
    expect(stories.map(({ id }) => id)).toEqual(orders.map(({ body }) => body.id));
    expect(Math.max(...stories.map(({ sharedBy }) => sharedBy))).toBeGreaterThan(1);
  });

  it('is 404 for an order that does not exist', async () => {
    expect((await admin(`/admin/orders/${'0'.repeat(24)}`)).status).toBe(404);
  });
});

describe('POST /admin/orders/{id}/cancel', () => {
  it('cancels an order of any account once, and not one that has ended', async () => {
    const { corporateId } = client.account;
    await act(`/admin/accounts/${corporateId}/pause`);
    const { body: order } = await client.post('/minting/order', {
      chainId,
      contractAddress: contract.contractAddress,
      receiverAddress,
      tokenId: '77',
      metadataId: await createMetadata(client),
    });
    const { status, body } = await act(`/admin/orders/${order.id}/cancel`);
    expect([status, body.state]).toEqual([200, 'cancelled']);
    expect((await client.get(`/minting/${order.id}`)).body.status).toBe('CANCELLED');
    expect((await act(`/admin/orders/${order.id}/cancel`)).status).toBe(409);
    expect((await act(`/admin/orders/${minted.id}/cancel`)).status).toBe(409);
    expect((await act(`/admin/orders/${'0'.repeat(24)}/cancel`)).status).toBe(404);
    await act(`/admin/accounts/${corporateId}/resume`);
  });
});

describe('GET /admin/statistics', () => {
  it('counts every order in the hour in which it was accepted, with its fee and its time', async () => {
    const { status, body } = await admin('/admin/statistics?hours=48');
    expect(status).toBe(200);
    expect(body.hours).toHaveLength(48);
    const [last] = body.hours.slice(-1);
    expect(Date.parse(last.hour) % 3_600_000).toBe(0);
    const all = body.hours.slice(-2);
    const total = (field: string) =>
      all.reduce((sum: number, hour: Record<string, number>) => sum + (hour[field] ?? 0), 0);
    expect(total('confirmed')).toBeGreaterThanOrEqual(2);
    expect(total('cancelled')).toBeGreaterThanOrEqual(2);
    expect(total('accepted')).toBeGreaterThanOrEqual(total('confirmed') + total('failed') + total('cancelled'));
    const busy = all.find(({ confirmed }: { confirmed: number }) => confirmed > 0);
    expect(Number(busy.fees[chainId])).toBeGreaterThan(0);
    expect(busy.medianSeconds).toBeGreaterThan(0);
    expect(busy.p95Seconds).toBeGreaterThanOrEqual(busy.medianSeconds);
    expect((await admin('/admin/statistics?hours=169')).status).toBe(400);
  });
});

describe('GET /admin/wallets', () => {
  it('has the balance of each wallet, what it spent in a day, and how long the rest lasts', async () => {
    const { body } = await admin('/admin/wallets');
    const wallet = body.items.find(
      (item: Record<string, string>) =>
        item['corporateId'] === client.account.corporateId && item['chainId'] === chainId,
    );
    expect(Number(wallet.spentLastDay)).toBeCloseTo(
      Number(contract['totalFeeNative']) + Number(minted.totalFeeNative),
      12,
    );
    expect(wallet.daysLeft).toBeCloseTo(Number(wallet.balance) / Number(wallet.spentLastDay), -2);
    expect(wallet).toMatchObject({ coin: 'AVAX', isLow: false, walletAddress: client.account.walletAddress });
  });
});

describe('GET /admin/accounts', () => {
  it('lists every account, and shows the limits, keys and endpoints of one without any secret', async () => {
    const { corporateId } = client.account;
    const key = await call('/keys', {
      method: 'POST',
      headers: { ...headers, 'x-corporate-id': corporateId, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Console test', kind: 'test', scopes: ['read'] }),
    });
    expect(key.status).toBe(201);
    const { body: list } = await admin('/admin/accounts?limit=100');
    expect(list.items).toContainEqual(
      expect.objectContaining({ corporateId, status: 'ACTIVE', keys: 1, hasLimits: false }),
    );
    const { body } = await admin(`/admin/accounts/${corporateId}`);
    expect(body).toMatchObject({
      corporateId,
      limits: { ordersPerDay: null, used: { pendingOrders: 0 } },
      keyList: [{ id: key.body.id, name: 'Console test' }],
      endpoints: [{ managedBy: 'operator', url: receiver.url }],
    });
    expect(JSON.stringify(body)).not.toMatch(/whsec_|key_test_/);
    const named = async (text: string) =>
      (await admin(`/admin/accounts?text=${text}`)).body.items.map(
        (item: Record<string, string>) => item['corporateId'],
      );
    expect(await named(corporateId.slice(3).toUpperCase())).toEqual([corporateId]);
    expect(await named(client.account.walletAddress)).toEqual([corporateId]);
    expect(await named('nobody%')).toEqual([]);
    expect((await admin('/admin/accounts/nobody')).status).toBe(404);
  });
});

const replayFailed = (endpointId: string, body: object) =>
  call(`/admin/webhooks/endpoints/${endpointId}/replay`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': endpointId },
    body: JSON.stringify(body),
  });

describe('POST /admin/webhooks/endpoints/{id}/replay', () => {
  it('replays all failed deliveries of an endpoint of any account, once for a key, and shows why they failed', async () => {
    const { body: account } = await admin(`/admin/accounts/${client.account.corporateId}`);
    const [{ id: endpointId }] = account.endpoints;
    const failed = await Promise.all([1, 2].map(() => insertFailedDelivery(client.account._id, endpointId)));
    const deliveries = async () => (await admin('/admin/webhooks')).body.deliveries;
    expect((await deliveries()).map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining(failed));
    await expect
      .poll(async () => (await deliveries()).map((item: Reply['body']) => item.responseStatusCode))
      .toContain(500);
    const since = new Date(Date.parse(minted.createdAt) - 60_000).toISOString();
    const { status, body } = await replayFailed(endpointId, { since });
    expect([status, body.hasMore]).toEqual([200, false]);
    expect(body.replayed).toBeGreaterThanOrEqual(2);
    expect(await replayFailed(endpointId, { since })).toMatchObject({ status, body });
  });

  it('is 404 for an endpoint that does not exist, and 400 without a time', async () => {
    const since = minted.createdAt;
    const nobody = '0'.repeat(24);
    expect((await replayFailed(nobody, { since })).status).toBe(404);
    expect((await replayFailed(nobody, {})).body.errors[0].path).toBe('since');
    expect((await replayFailed(nobody, { since, endpointId: minted.id })).status).toBe(400);
  });
});
