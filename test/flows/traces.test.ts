import { Client as Postgres } from 'pg';
import type { Address } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CreatedAccount } from '../../cli/corporate/upsert-account.ts';
import { fundWallet } from '../../cli/local-stack/fund-wallet.ts';
import { receiverAddress } from '../fixtures/client.ts';
import { flexibleInput, type Loose } from '../fixtures/metadata-inputs.ts';
import { startOwnStack, type OwnStack } from '../fixtures/own-stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const chainId = '43114';
const PARENT = '00f067aa0ba902b7';
const MAIN = { name: 'Traced', symbol: 'T', ercStandard: '721', contractType: 'standard' };

let stack: OwnStack;
let receiver: WebhookReceiver;
let account: CreatedAccount;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([startOwnStack({}), startWebhookReceiver()]);
  account = await stack.createAccount({ name: 'Traced', webhookUrl: receiver.url });
  await fundWallet(account.walletAddress as Address, [stack.rpcUrls[chainId] ?? '']);
  await post('/webhooks/endpoints', { url: receiver.url, eventTypes: ['order.sent', 'order.held'] });
});
afterAll(async () => {
  await stack.stop();
  await receiver.close();
});

const ask = (path: string, headers: Record<string, string> = {}, init: Omit<RequestInit, 'headers'> = {}) =>
  stack.ask(
    path,
    {
      'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
      'x-corporate-id': account.corporateId,
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    init,
  );
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask(path, headers, { method: 'POST', ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
const adminPost = (path: string) =>
  ask(path, { 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' }, { method: 'POST' });

const traceId = (digit: string) => digit.repeat(32);
const traced = (id: string, flags: '00' | '01') => ({ traceparent: `00-${id}-${PARENT}-${flags}` });

/** Waits for so many events of this type about an order. @returns the `traceparent` of the delivery of each. */
async function parentsOf(type: string, orderId: unknown, count = 1): Promise<unknown[]> {
  const find = () =>
    receiver.deliveries.filter(
      ({ event }) =>
        event.type === type &&
        [event.data['id'], event.data['_id'], event.data['jobId'], event.data['orderId']].includes(orderId),
    );
  await expect.poll(() => find().length, { timeout: 40_000 }).toBe(count);
  return find().map(({ headers }) => headers['traceparent']);
}

const childOf = (id: string, flags: string) => [
  expect.stringMatching(new RegExp(`^00-${id}-(?!${PARENT})[0-9a-f]{16}-${flags}$`)),
];

async function deployed(fields: object, headers: Record<string, string> = {}) {
  const { headers: reply, body } = await post('/contracts/deploy', { ...MAIN, ...fields }, headers);
  await parentsOf('contract.deployed', body._id);
  const { contractAddress } = (await ask(`/contracts/${body._id}`)).body;
  return { id: body._id, contractAddress, traceId: reply.get('x-trace-id') ?? '' };
}

/** The trace of each transaction of an order: of a deployment, also that of the ownership transfer that follows. */
async function storedTraces(orderId: string): Promise<unknown[]> {
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  const { rows } = await database.query<{ trace: string }>('select trace from orders where order_id = $1', [orderId]);
  await database.end();
  return rows.map(({ trace }) => trace);
}

let lastToken = 0;
async function mintOf(contractAddress: string) {
  const { body } = await post('/metadata', flexibleInput);
  return { chainId, contractAddress, receiverAddress, tokenId: String((lastToken += 1)), metadataId: body._id };
}

it('an order belongs to the trace of its request, and so do its webhooks and what follows it', async () => {
  const deployment = await deployed({ transferOwnerAddress: receiverAddress }, traced(traceId('a'), '00'));
  expect(deployment.traceId).toBe(traceId('a'));
  expect(await parentsOf('contract.deployed', deployment.id)).toEqual(childOf(traceId('a'), '00'));
  expect(await parentsOf('ownership.transferred', deployment.id)).toEqual(childOf(traceId('a'), '00'));
  expect(await parentsOf('order.sent', deployment.id, 2)).toEqual([
    ...childOf(traceId('a'), '00'),
    ...childOf(traceId('a'), '00'),
  ]);

  expect(await storedTraces(deployment.id)).toEqual([`${traceId('a')}-00`, `${traceId('a')}-00`]);

  const { contractAddress, id, traceId: own } = await deployed({});
  expect(own).toMatch(/^[0-9a-f]{32}$/);
  expect(await parentsOf('contract.deployed', id)).toEqual(childOf(own, '01'));

  const mint = await mintOf(contractAddress);
  const key = { 'idempotency-key': 'traced' };
  const first = await post('/minting/order', mint, { ...key, ...traced(traceId('b'), '01') });
  const again = await post('/minting/order', mint, { ...key, ...traced(traceId('c'), '01') });
  expect([first, again].map(({ headers }) => headers.get('x-trace-id'))).toEqual([traceId('b'), traceId('c')]);
  expect(again.body.id).toBe(first.body.id);
  expect(await parentsOf('mint.confirmed', first.body.id)).toEqual(childOf(traceId('b'), '01'));

  const batch = { orders: [await mintOf(contractAddress), await mintOf(contractAddress)] };
  const { body } = await post('/minting/orders/batch', batch, traced(traceId('d'), '01'));
  for (const { order } of body.results as Loose[]) {
    expect(await parentsOf('mint.confirmed', order.id)).toEqual(childOf(traceId('d'), '01'));
  }
  const parents = receiver.deliveries.map(({ headers }) => headers['traceparent']);
  expect(new Set(parents).size).toBe(parents.length);
});

it('lines of the log about an order have the trace of its request, not of the one that cancels it', async () => {
  const { contractAddress } = await deployed({});
  await adminPost(`/admin/accounts/${account.corporateId}/pause`);
  const { body: order } = await post('/minting/order', await mintOf(contractAddress), traced(traceId('e'), '01'));
  expect(await parentsOf('order.held', order.id)).toEqual(childOf(traceId('e'), '01'));
  await post('/minting/cancel', { id: order.id }, traced(traceId('f'), '01'));
  expect(await parentsOf('mint.cancelled', order.id)).toEqual(childOf(traceId('e'), '01'));
  await adminPost(`/admin/accounts/${account.corporateId}/resume`);

  const lines = stack
    .log()
    .split('\n')
    .flatMap((line): Loose[] => (line.startsWith('{"time"') ? [JSON.parse(line)] : []));
  const events = (id: string) => new Set(lines.filter((line) => line.traceId === id).map(({ event }) => event));
  expect([...events(traceId('e'))]).toEqual(
    expect.arrayContaining(['request', 'order.held', 'order.ended', 'webhook.attempted']),
  );
  expect([...events(traceId('f'))]).toContain('request');
  expect([...events(traceId('f'))]).not.toContain('order.ended');
});

it('an event about no order has no trace', async () => {
  const { items } = (await ask('/webhooks/endpoints')).body;
  const { body } = await post(`/webhooks/endpoints/${items[0].id}/test`, undefined, traced(traceId('1'), '01'));
  const delivered = () => receiver.deliveries.find(({ headers }) => headers['webhook-id'] === body.eventId);
  await expect.poll(delivered).toBeDefined();
  expect(delivered()?.headers['traceparent']).toBeUndefined();
});
