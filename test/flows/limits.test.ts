import { afterEach, beforeAll, describe, expect, it } from 'vitest';
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
import { startWebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { commandsOf, runInShell } from '../fixtures/document-commands.ts';
import { deployElsewhere } from '../fixtures/foreign-contract.ts';
import { deployForwarder, newSigner, signedTransfer } from '../fixtures/gasless.ts';

const chainId = '43114';
const stranger = '0x000000000000000000000000000000000000dEaD';

let client: Client;
let collection: Address;
let lastToken = 0;

beforeAll(async () => {
  client = await newClient();
  collection = (await deployContract(client)).contractAddress;
});

const batch = (...orders: object[]) => client.post('/minting/orders/batch', { orders });
/** Of an order of a batch, in seconds. */
const waitOf = ({ body: { results } }: Reply, index: number) => results[index].retryAfterSeconds;

const adminKey = { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' };

const put = (corporateId: string, body: unknown, headers: Record<string, string> = adminKey) =>
  call(`/admin/accounts/${corporateId}/limits`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

async function limit(limits: Record<string, unknown>): Promise<Reply> {
  const reply = await put(client.account.corporateId, limits);
  expect(reply.status).toBe(200);
  return reply;
}

const used = async () => (await client.get('/limits')).body.used;

const orderFields = async (fields: Record<string, unknown> = {}) => ({
  chainId,
  contractAddress: collection,
  receiverAddress,
  tokenId: String((lastToken += 1)),
  metadataId: await createMetadata(client),
  ...fields,
});

const order = async (fields: Record<string, unknown> = {}) => client.post('/minting/order', await orderFields(fields));

const pause = (action: 'pause' | 'resume') =>
  call(`/admin/accounts/${client.account.corporateId}/${action}`, { method: 'POST', headers: adminKey });

function expectRateLimited(reply: Reply, name: string) {
  expect([reply.status, reply.body.errors?.map(({ path }: { path: string }) => path)]).toEqual([429, [name]]);
  const seconds = Number(reply.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(86_400);
}

function expectForbidden(reply: Reply, name: string) {
  expect([reply.status, reply.body.errors?.map(({ path }: { path: string }) => path)]).toEqual([403, [name]]);
}

afterEach(async () => {
  await limit({});
  await pause('resume');
});

describe('PUT /admin/accounts/{corporateId}/limits', () => {
  it('replaces all limits, and GET /limits reads them', async () => {
    const spend = { [chainId]: { perDay: '1.5', perOrder: '0.000000000000000001', gasPrice: '60.5' } };
    const all = {
      ordersPerDay: 10_000,
      pendingOrders: 100,
      receivers: [receiverAddress],
      contracts: [collection],
      chains: [chainId],
      spend,
    };
    const stored = { ...all, receivers: [receiverAddress.toLowerCase()] };
    expect((await limit(all)).body).toEqual({ corporateId: client.account.corporateId, ...stored });
    const { body } = await client.get('/limits');
    expect(body).toMatchObject(stored);
    expect(new Date(body.dayEndsAt).getTime() % 86_400_000).toBe(0);
    await limit({ ordersPerDay: 5 });
    const none = { pendingOrders: null, receivers: null, contracts: null, chains: null, spend: {} };
    expect((await client.get('/limits')).body).toMatchObject({ ordersPerDay: 5, ...none });
  });

  it.each([
    ['an unknown field', { orderPerDay: 5 }, 'orderPerDay'],
    ['a negative count', { ordersPerDay: -1 }, 'ordersPerDay'],
    ['coins that are no decimal', { spend: { 43114: { perDay: '1e3' } } }, 'spend.43114.perDay'],
    ['a chain that is not allowed', { chains: ['43114', '1'] }, 'chains.1'],
    ['spend on a chain that is not allowed', { spend: { 1: { perDay: '1' } } }, 'spend.1'],
    [
      'spend on a chain whose name is a word of JavaScript',
      JSON.parse('{"spend":{"__proto__":"1"}}'),
      'spend.__proto__',
    ],
    ['an address that is none', { receivers: ['0x12'] }, 'receivers.0'],
  ])('refuses %s', async (_, body, path) => {
    const reply = await put(client.account.corporateId, body);
    expect([reply.status, reply.body.errors[0].path]).toEqual([400, path]);
  });

  it('sets them by the command of docs/operations.md, as printed', async () => {
    const [command = ''] = await commandsOf('docs/operations.md');
    const env = {
      NFT_URL: stack.url,
      ADMIN_SECRET_KEY: stack.settings['ADMIN_SECRET_KEY'] ?? '',
      ID: client.account.corporateId,
    };
    const { code, stdout, stderr } = await runInShell(command, { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ ordersPerDay: 5_000, spend: { [chainId]: { perDay: '20' } } });
    const refused = await runInShell(command, { env: { ...env, ADMIN_SECRET_KEY: 'wrong' } });
    expect([refused.code, JSON.parse(refused.stdout).statusCode]).toEqual([22, 401]);
    await limit({});
  });

  it('is for the operator alone, and for accounts that exist', async () => {
    expect((await put(client.account.corporateId, {}, {})).status).toBe(401);
    expect((await put('nobody', {})).status).toBe(404);
  });

  it('limits no other account', async () => {
    await limit({ ordersPerDay: 0 });
    const other = await newClient();
    const fields = { name: 'T', symbol: 'T', ercStandard: '721', contractType: 'standard' };
    expect((await other.post('/contracts/deploy', fields)).status).toBe(201);
    expect((await other.get('/limits')).body.ordersPerDay).toBeNull();
  });
});

it('limit.reached is sent to endpoints that name it: once for a storm of refused orders, and once for those that are held', async () => {
  const receiver = await startWebhookReceiver();
  const { body: endpoint } = await client.post('/webhooks/endpoints', {
    url: receiver.url,
    eventTypes: ['limit.reached'],
  });
  try {
    await pause('pause');
    const { body: waiting } = await order();
    await limit({ pendingOrders: 1, receivers: [stranger] });
    const bodies = await Promise.all(Array.from({ length: 12 }, () => orderFields({ receiverAddress: stranger })));
    const replies = await Promise.all(bodies.map((body) => client.post('/minting/order', body)));
    for (const reply of replies) expectRateLimited(reply, 'pendingOrders');
    await expect.poll(() => receiver.events.length).toBe(1);
    await pause('resume');
    await expect.poll(() => receiver.events.length).toBe(2);
    expectRateLimited(await order({ receiverAddress: stranger }), 'pendingOrders');
    expect(receiver.events.map(({ event: { type, data } }) => ({ type, ...data }))).toEqual([
      {
        type: 'limit.reached',
        limit: 'pendingOrders',
        chainId: null,
        value: '1',
        effect: 'REFUSED',
        orderId: null,
        freesAt: null,
      },
      {
        type: 'limit.reached',
        limit: 'receivers',
        chainId,
        value: null,
        effect: 'HELD',
        orderId: waiting.id,
        freesAt: null,
      },
    ]);
    const { body: list } = await client.get('/webhooks/deliveries?eventType=limit.reached');
    expect(list.items).toHaveLength(2);
  } finally {
    await client.delete(`/webhooks/endpoints/${endpoint.id}`);
    await receiver.close();
  }
});

describe('a limit', () => {
  it('of orders per day is never exceeded by simultaneous requests', async () => {
    const { ordersToday } = await used();
    await limit({ ordersPerDay: ordersToday + 4 });
    const bodies = await Promise.all(Array.from({ length: 12 }, () => orderFields()));
    const replies = await Promise.all(bodies.map((body) => client.post('/minting/order', body)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(4);
    for (const reply of replies.filter(({ status }) => status !== 201)) expectRateLimited(reply, 'ordersPerDay');
    expect((await used()).ordersToday).toBe(ordersToday + 4);
  });

  it('of pending orders counts waiting and sent orders', async () => {
    // A pause does not keep what is signed already from being mined.
    await expect.poll(async () => (await used()).pendingOrders).toBe(0);
    await pause('pause');
    await limit({ pendingOrders: 1 });
    const accepted = await order();
    expectRateLimited(await order(), 'pendingOrders');
    await client.post('/minting/cancel', { id: accepted.body.id });
    expect((await order()).status).toBe(201);
  });

  it('refuses the orders of a batch that are too many, and accepts the rest', async () => {
    const { ordersToday } = await used();
    await limit({ ordersPerDay: ordersToday + 2 });
    const orders = await Promise.all(Array.from({ length: 4 }, () => orderFields()));
    const key = { 'idempotency-key': crypto.randomUUID() };
    const { status, body } = await client.post('/minting/orders/batch', { orders }, key);
    expect([status, body.accepted, body.refused]).toEqual([200, 2, 2]);
    expect(body.results.map(({ statusCode }: { statusCode: number }) => statusCode)).toEqual([201, 201, 429, 429]);
    expect(body.results[3].errors[0].path).toBe('ordersPerDay');
  });

  it('tells of each refused order of a batch when it can succeed, and in Retry-After if none was accepted', async () => {
    await limit({ ordersPerDay: 0 });
    const [body, other] = [await orderFields(), await orderFields()];
    const none = await batch(body, other);
    const wait = Number(none.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(86_400);
    expect([waitOf(none, 0), waitOf(none, 1)]).toEqual([wait, wait]);
    const mixed = await batch(body, { ...other, amount: 0 });
    expect([waitOf(mixed, 1), mixed.headers.get('retry-after')]).toEqual([undefined, null]);
    await limit({ ordersPerDay: (await used()).ordersToday + 1 });
    const some = await batch(body, other);
    expect([some.body.accepted, waitOf(some, 1) > 0, some.headers.get('retry-after')]).toEqual([1, true, null]);
  });

  it('counts a retry with the same Idempotency-Key once', async () => {
    const { ordersToday } = await used();
    await limit({ ordersPerDay: ordersToday + 1 });
    const body = await orderFields();
    const key = { 'idempotency-key': crypto.randomUUID() };
    const first = await client.post('/minting/order', body, key);
    const second = await client.post('/minting/order', body, key);
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
  });

  it('does not outlast itself: a retry with the same Idempotency-Key is accepted once the limit allows it', async () => {
    const body = await orderFields();
    const key = { 'idempotency-key': crypto.randomUUID() };
    await limit({ ordersPerDay: 0 });
    expectRateLimited(await client.post('/minting/order', body, key), 'ordersPerDay');
    expectRateLimited(await client.post('/minting/order', body, key), 'ordersPerDay');
    await limit({});
    const between = await order();
    const accepted = await client.post('/minting/order', body, key);
    // Ids begin with the time from which the reply is kept: not that of the first refusal.
    expect(accepted.body.id > between.body.id).toBe(true);
    const again = await client.post('/minting/order', body, key);
    expect([accepted.status, again.status, again.body.id]).toEqual([201, 201, accepted.body.id]);
  });

  it('of spend shows the cost, refuses when nothing is left, and holds accepted orders', async () => {
    const first = await order();
    await client.until(`/minting/${first.body.id}`, ['CONFIRMED']);
    // More is reserved than is paid later.
    await expect.poll(async () => (await used()).pendingOrders).toBe(0);
    const { spentToday } = await used();
    expect(Number(spentToday[chainId])).toBeGreaterThan(0);
    await pause('pause');
    const { body } = await order();
    await limit({ spend: { [chainId]: { perDay: spentToday[chainId] } } });
    expectRateLimited(await order(), 'spendPerDay');
    await pause('resume');
    await expect.poll(async () => (await client.get(`/minting/${body.id}`)).body.hold?.reason).toBe('LIMIT');
    await limit({ spend: { [chainId]: { perDay: '1000' } } });
    await client.until(`/minting/${body.id}`, ['CONFIRMED']);
  });

  it('on receivers, contracts and chains is 403 for every kind of order, and allows the rest', async () => {
    const holder = newSigner();
    const [forwarder, foreignForwarder] = await Promise.all([
      deployForwarder(client),
      deployForwarder(await newClient()),
    ]);
    const { contractAddress } = await deployContract(client, {
      trustedForwarder: forwarder,
      currentOwnerAddress: holder.address,
    });
    const relayed = await orderFields({ contractAddress, from: holder.address, receiverAddress: holder.address });
    const { body: mint } = await client.post('/minting/signature', { ...relayed, privateKey: holder.privateKey });
    const relay = () => client.post('/minting/relay', { ...relayed, signature: mint.signature });
    const deploy = (fields: object) =>
      client.post('/contracts/deploy', {
        name: 'T',
        symbol: 'T',
        ercStandard: '721',
        contractType: 'standard',
        ...fields,
      });
    const handOver = () =>
      client.post('/contracts/transfer-ownership', {
        chainId,
        contractAddress: collection,
        newOwnerAddress: stranger,
      });

    await limit({ receivers: [receiverAddress] });
    expectForbidden(await relay(), 'receivers');
    expectForbidden(await order({ receiverAddress: stranger }), 'receivers');
    expectForbidden(await handOver(), 'receivers');
    expectForbidden(await deploy({ currentOwnerAddress: stranger }), 'receivers');
    expectForbidden(await deploy({ transferOwnerAddress: stranger }), 'receivers');
    expectForbidden(await deploy({ trustedForwarder: foreignForwarder }), 'receivers');
    expect((await deploy({ trustedForwarder: forwarder })).status).toBe(201);
    const register = async (trusted: Address) =>
      client.post('/contracts/register', {
        chainId,
        contractAddress: await deployElsewhere(client.account.walletAddress, trusted),
        ercStandard: '721',
        contractType: 'standard',
      });
    expectForbidden(await register(foreignForwarder), 'receivers');
    expect((await register(forwarder)).status).toBe(201);
    expect((await deploy({})).status).toBe(201);
    expect((await order()).status).toBe(201);
    expect((await order({ receiverAddress: client.account.walletAddress })).status).toBe(201);

    await limit({ contracts: [stranger] });
    expectForbidden(await relay(), 'contracts');
    expectForbidden(await order(), 'contracts');
    expectForbidden(await handOver(), 'contracts');
    expect((await deploy({})).status).toBe(201);

    await limit({ chains: ['43113'] });
    expectForbidden(await order(), 'chains');
    expectForbidden(await deploy({}), 'chains');
    expectForbidden(await client.post('/contracts/forwarder', { alias: 'F' }), 'chains');
    expect((await deploy({ chainId: '43113' })).status).toBe(201);

    await limit({});
    const { body: accepted } = await relay();
    await client.until(`/minting/${accepted.id}`, ['CONFIRMED']);
    const gift = { contractAddress, to: stranger as Address, tokenId: relayed.tokenId };
    const transfer = () => client.post('/transfer/execute', signedTransfer(holder, forwarder, gift, { nonce: 1 }));
    await limit({ receivers: [receiverAddress] });
    expectForbidden(await transfer(), 'receivers');
    await limit({ contracts: [collection] });
    expectForbidden(await transfer(), 'contracts');
    await limit({});
    // A refusal has not taken the signer's nonce.
    const { body: moved } = await transfer();
    expect(await client.until(`/transfer/${moved.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({ status: 'CONFIRMED' });
  });
});
