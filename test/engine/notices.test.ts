import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { parseEther } from 'viem';
import { newId } from '../../src/core/record-id.ts';
import { mainnet } from '../../src/chains/definitions/avalanche.ts';
import { holdPaused, releaseHeld } from '../../src/engine/store/pauses.ts';
import { NOTICES } from '../../src/webhooks/notices.ts';
import { storeLimits } from '../../src/limits/limits.store.ts';
import type { StoredLimits } from '../../src/platform/database/schema.ts';
import { startWorld, type Hook, type World } from './lane-world.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('limit.not_notified');

// Events beside the ends of orders, of an account with two endpoints that ask for them and one that asks for nothing.

let world: World;
const chainId = mainnet.id;
const subscribers = [newId(), newId()];

beforeAll(async () => {
  world = await startWorld({ NOT_NOW_PATIENCE_HOURS: '1' });
  for (const id of subscribers) {
    await world.pool.query(
      `insert into webhook_endpoints (id, corporate_account_id, managed_by, url, event_types, secret_id, secret)
       values ($1, $2, 'account', 'https://hooks.example', $3, $1, 'whsec_x')`,
      [id, world.accountId, Object.keys(NOTICES)],
    );
  }
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.pool.query('delete from webhook_deliveries');
  await world.pool.query('delete from webhook_events');
});

interface Notice {
  readonly id: string;
  readonly type: string;
  readonly related_order_id: string | null;
  readonly data: Record<string, unknown>;
  readonly timestamp: string;
  readonly endpoints: readonly string[];
}

/** The notices of a type, each checked against its schema, with the endpoints that get them. */
async function noticesOf(type: keyof typeof NOTICES): Promise<Notice[]> {
  const { rows } = await world.pool.query(
    `select e.id, e.type, e.related_order_id, e.payload,
       array(select d.webhook_endpoint_id from webhook_deliveries d where d.webhook_event_id = e.id order by 1) as endpoints
     from webhook_events e where e.type = $1 order by e.id`,
    [type],
  );
  return rows.map(({ payload, ...row }) => {
    const { data, timestamp, ...rest } = JSON.parse(payload);
    expect(rest).toEqual({ type });
    expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(NOTICES[type].data.strict().parse(data)).toEqual(data);
    expect(row.endpoints).toEqual(subscribers.toSorted());
    return { ...row, data, timestamp };
  });
}

const lane = () => ({ chainId, walletAddress: world.wallet.toLowerCase() });

it('order.sent is stored once with the first attempt of each order, for the endpoints that name it', async () => {
  const ids = await world.acceptMints(3);
  await world.driver().finish();
  const sent = await noticesOf('order.sent');
  expect(sent.map(({ related_order_id: id }) => String(id)).toSorted()).toEqual(ids.toSorted());
  for (const { related_order_id: id = '', data } of sent) {
    const [attempt] = await world.attempts(String(id));
    expect(data).toEqual({
      orderId: id,
      orderKind: 'mint',
      ...lane(),
      txHash: attempt?.['hash'],
      nonce: Number(attempt?.['nonce']),
    });
  }
});

it('order.sent is not stored for bytes of a driver that was too late to store them', async () => {
  const ids = await world.acceptMints(20);
  const [one, two] = [world.driver(), world.driver()];
  await Promise.all([one.finish(), two.finish()]);
  const sent = await noticesOf('order.sent');
  expect(sent.map(({ related_order_id: id }) => String(id)).toSorted()).toEqual(ids.toSorted());
});

/** By order, oldest first. */
const holds = async () => Map.groupBy(await noticesOf('order.held'), ({ related_order_id: id }) => id);
const isForFunds = ({ data }: Notice) => data['reason'] === 'FUNDS';

it('order.held is stored when a hold begins, for tried orders and those behind them, and not while it lasts', async () => {
  const balance = await world.chain.getBalance({ address: world.wallet });
  await world.chain.setBalance({ address: world.wallet, value: 1n });
  const ids = await world.acceptMints(150);
  const driver = world.driver();
  await driver.until(
    async () => [...(await holds()).values()].filter((of) => of.some(isForFunds)).length === ids.length,
  );
  for (let round = 0; round < 3; round += 1) {
    await world.makeDue();
    await driver.run();
  }
  await world.chain.setBalance({ address: world.wallet, value: balance });
  await world.makeDue();
  await driver.finish();
  const notices = await holds();
  expect(new Set(notices.keys())).toEqual(new Set(ids));
  for (const [id, of] of notices) {
    const expected = {
      orderId: id,
      orderKind: 'mint',
      ...lane(),
      reason: 'FUNDS',
      detail: expect.stringContaining('lacks'),
    };
    for (const { data } of of.filter(isForFunds)) expect(data).toEqual(expected);
    // A node that is slow for a moment holds orders as well: another hold, which has another reason.
    const reasons = of.map(({ data }) => data['reason']);
    expect(reasons.filter((reason) => reason !== 'FUNDS' && reason !== 'NOT_NOW')).toEqual([]);
    expect(reasons.filter((reason, index) => reason === reasons[index - 1])).toEqual([]);
  }
});

it('order.held is stored once when a pause begins, and again when another follows', async () => {
  const ids = await world.acceptMints(2);
  const { db, hooks } = world.driver().context.services;
  const pause = () => holdPaused(db, hooks, { accountId: world.accountId }, new Date());
  expect(await pause()).toHaveLength(ids.length * subscribers.length);
  expect(await pause()).toEqual([]);
  const notices = await noticesOf('order.held');
  expect(notices.map(({ data }) => String(data['orderId'])).toSorted()).toEqual(ids.toSorted());
  expect(notices.every(({ data }) => data['reason'] === 'PAUSED')).toBe(true);
  await releaseHeld(db, { accountId: world.accountId }, 'paused', new Date());
  await pause();
  expect(await noticesOf('order.held')).toHaveLength(2 * ids.length);
  await releaseHeld(db, { accountId: world.accountId }, 'paused', new Date());
  await world.driver().finish();
});

/** Two drivers execute an order while the wallet has this balance. */
async function runWith(coins: string): Promise<void> {
  await world.chain.setBalance({ address: world.wallet, value: parseEther(coins) });
  await world.acceptMints(1);
  await Promise.all([world.driver().finish(), world.driver().finish()]);
}

it('wallet.low is stored once when the balance falls below the threshold, and again after it has risen', async () => {
  await runWith('0.09');
  await runWith('0.08');
  const first = await noticesOf('wallet.low');
  expect(first).toHaveLength(1);
  expect(first[0]?.data).toEqual({ ...lane(), balance: expect.stringMatching(/^0\.0\d+$/), threshold: '0.1' });
  await runWith('5');
  expect(await noticesOf('wallet.low')).toHaveLength(1);
  await runWith('0.07');
  expect(await noticesOf('wallet.low')).toHaveLength(2);
  await runWith('1000');
});

it('lane.stuck is stored once when nothing is mined for a minute, and when the chain does not answer', async () => {
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  const driver = world.driver();
  await driver.run();
  driver.clock.ahead += 61_000;
  await driver.run();
  driver.clock.ahead += 61_000;
  await driver.run();
  const stuck = await noticesOf('lane.stuck');
  expect(stuck).toHaveLength(1);
  expect(stuck[0]).toMatchObject({
    related_order_id: id,
    data: { ...lane(), orderId: id, reason: expect.stringMatching(/^Nonce \d+ is not mined/) },
  });
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  await driver.finish();
  await driver.run();

  let isSilent = true;
  const silence: Hook = (request, next) =>
    isSilent && request.body.includes('"jsonrpc"') ? Promise.reject(new Error('no answer')) : next();
  const deaf = world.driver(silence);
  await world.acceptMints(1);
  await deaf.run();
  deaf.clock.ahead = 61_000;
  await deaf.run();
  await deaf.run();
  const [, silent, ...more] = await noticesOf('lane.stuck');
  expect(more).toEqual([]);
  expect(silent?.data).toEqual({ ...lane(), orderId: null, reason: 'The chain does not answer' });
  isSilent = false;
  await deaf.finish();
});

const NONE = { ordersPerDay: null, pendingOrders: null, receivers: null, contracts: null, chains: null, spend: {} };
const limit = (limits: Partial<StoredLimits>) =>
  storeLimits(world.driver().context.services.db, 'c', { ...NONE, ...limits }, new Date());
const TOMORROW = /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/;

it('limit.reached is stored once for a storm of orders that a limit refuses, which costs one more round trip in all', async () => {
  await limit({ ordersPerDay: 0 });
  let notices = 0;
  const counts: Hook = (request, next) => {
    if (request.body.includes('insert-limit-notice')) notices += 1;
    return next();
  };
  const refused = { kind: 'rate-limited', issues: [{ path: 'ordersPerDay' }] };
  await world.within(counts, async () => {
    for (let order = 0; order < 5; order += 1) await expect(world.acceptMints(1)).rejects.toMatchObject(refused);
  });
  expect(notices).toBe(1);
  await Promise.all(
    Array.from({ length: 10 }, () => expect(world.acceptMints(1)).rejects.toMatchObject({ kind: 'rate-limited' })),
  );
  const [reached, ...more] = await noticesOf('limit.reached');
  expect([reached?.related_order_id, more]).toEqual([null, []]);
  expect(reached?.data).toEqual({
    limit: 'ordersPerDay',
    chainId: null,
    value: '0',
    effect: 'REFUSED',
    orderId: null,
    freesAt: expect.stringMatching(TOMORROW),
  });
});

it('limit.reached of simultaneous first refusals is stored once, and again for other limits and for replaced ones', async () => {
  await limit({ pendingOrders: 0 });
  const all = await Promise.allSettled(Array.from({ length: 10 }, () => world.acceptMints(1)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toEqual([]);
  expect(await noticesOf('limit.reached')).toMatchObject([
    { data: { limit: 'pendingOrders', value: '0', freesAt: null } },
  ]);
  await limit({ pendingOrders: 0, chains: [], ordersPerDay: 0 });
  for (let order = 0; order < 2; order += 1) {
    await expect(world.acceptMints(1)).rejects.toMatchObject({ kind: 'forbidden' });
  }
  const reached = await noticesOf('limit.reached');
  expect(reached.map(({ data }) => `${String(data['limit'])} ${String(data['chainId'])}`).toSorted()).toEqual([
    `chains ${chainId}`,
    'ordersPerDay null',
    'pendingOrders null',
    'pendingOrders null',
  ]);
  await world.pool.query(
    "update account_limits set notified = jsonb_set(notified, '{ordersPerDay}', to_jsonb((now() - interval '1 second')::text))",
  );
  await expect(world.acceptMints(1)).rejects.toMatchObject({ kind: 'forbidden' });
  expect(await noticesOf('limit.reached')).toHaveLength(5);
});

it('a refusal is the same if its notice cannot be stored', async () => {
  await limit({ ordersPerDay: 0 });
  let lost = 0;
  const loses: Hook = (request, next) => {
    if (!request.body.includes('insert-limit-notice')) return next();
    lost += 1;
    return Promise.reject(new Error('no database'));
  };
  await world.within(loses, () => expect(world.acceptMints(1)).rejects.toMatchObject({ kind: 'rate-limited' }));
  expect([lost, await noticesOf('limit.reached')]).toEqual([1, []]);
  await expect(world.acceptMints(1)).rejects.toMatchObject({ kind: 'rate-limited' });
  expect(await noticesOf('limit.reached')).toHaveLength(1);
});

it('limit.reached is stored once for the orders that a limit holds, with the limit and what it allows', async () => {
  await limit({});
  await world.driver().finish();
  const spend = { perDay: parseEther('2').toString(), perOrder: '1', gasPrice: null };
  const ids = await world.acceptMints(3);
  await limit({ spend: { [chainId]: spend } });
  await world.driver().run();
  await world.makeDue();
  await world.driver().run();
  const [held, ...more] = await noticesOf('limit.reached');
  expect([more, ids]).toEqual([[], expect.arrayContaining([held?.related_order_id])]);
  expect(held?.data).toEqual({
    limit: 'spendPerOrder',
    chainId,
    value: '0.000000000000000001',
    effect: 'HELD',
    orderId: held?.related_order_id,
    freesAt: null,
  });
  await limit({ spend: { [chainId]: { ...spend, perOrder: null, perDay: '0' } } });
  await world.makeDue();
  await world.driver().run();
  await expect(world.acceptMints(1)).rejects.toMatchObject({ issues: [{ path: 'spendPerDay' }] });
  expect((await noticesOf('limit.reached')).slice(1)).toMatchObject([
    { data: { limit: 'spendPerDay', chainId, value: '0', effect: 'HELD', freesAt: expect.stringMatching(TOMORROW) } },
  ]);
  await limit({});
  await world.makeDue();
  await world.driver().finish();
});

it('a limit does not count as notified while no endpoint names the event', async () => {
  const subscribe = (status: string) =>
    world.pool.query("update webhook_endpoints set status = $1 where managed_by = 'account'", [status]);
  await limit({ ordersPerDay: 0 });
  await subscribe('DISABLED');
  await expect(world.acceptMints(1)).rejects.toMatchObject({ kind: 'rate-limited' });
  await subscribe('ENABLED');
  expect(await noticesOf('limit.reached')).toEqual([]);
  await expect(world.acceptMints(1)).rejects.toMatchObject({ kind: 'rate-limited' });
  expect(await noticesOf('limit.reached')).toHaveLength(1);
  await limit({});
});

it('an account whose endpoints name no notice has none stored', async () => {
  await world.pool.query("update webhook_endpoints set status = 'DISABLED' where managed_by = 'account'");
  await world.acceptMints(2);
  await world.driver().finish();
  const { rows } = await world.pool.query('select type from webhook_events');
  expect(rows).toEqual([{ type: 'mint.confirmed' }, { type: 'mint.confirmed' }]);
});
