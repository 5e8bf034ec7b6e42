import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEther, parseGwei, parseTransaction, type Hex } from 'viem';
import { cancelOrder } from '../../src/orders/cancel-order.ts';
import { holdPaused, releaseHeld } from '../../src/engine/store/pauses.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { relayMintKind } from '../../src/orders/mint/relay-mint-kind.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import type { TenantServices } from '../../src/services.ts';
import { startWorld, type Driver, type Hook, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setAutomine(true);
  await world.chain.setBalance({ address: world.wallet, value: parseEther('1000') });
});

/** Cancels as a request does. */
async function cancel(id: string) {
  const { services } = world.driver();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- has what cancelling uses of the services
  const actor = { type: 'operator' };
  const tenant = { ...services, actor, db: tenantOf(services.db, world.accountId) } as unknown as TenantServices;
  return (await cancelOrder(tenant, [mintKind, relayMintKind], id)).transaction;
}

const purposes = async (id: string) => (await world.attempts(id)).map(({ purpose }) => purpose);

async function events(id: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const { rows } = await world.pool.query('select payload from webhook_events where related_order_id = $1', [id]);
  return rows.map(({ payload }) => JSON.parse(payload));
}

/** An order in the pool, while no blocks are made. */
async function inPool() {
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  const driver = world.driver();
  await driver.until(async () => (await world.order(id))['status'] === 'SENT');
  return { id, driver };
}

/** A driver whose fee cap is what the order's bytes offer, so that nothing can replace them. */
async function driverAtCap(id: string, { context }: Driver): Promise<Driver> {
  const [{ max_fee_per_gas: offered } = {}] = await world.attempts(id);
  const feeCap = { ...context.chain.feeCap, maxFeePerGas: BigInt(String(offered)) };
  return world.driver(undefined, 500, { ...context, chain: { ...context.chain, feeCap } });
}

async function mineAll(driver: Driver) {
  await delay(500);
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  await driver.finish();
}

describe('cancelling an order that is', () => {
  it('not signed ends it without a driver, once', async () => {
    const [id = ''] = await world.acceptMints(1);
    const [first, second] = await Promise.allSettled([cancel(id), cancel(id)]);
    const came = [first, second].map((result) =>
      result.status === 'fulfilled' ? result.value.state : (result.reason as { code: string }).code,
    );
    expect(came.every((each) => ['cancelled', 'conflict'].includes(each))).toBe(true);
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED', tx_hash: null, nonce: null, endings: 1 });
    expect(await events(id)).toMatchObject([{ type: 'mint.cancelled', data: { id, status: 'CANCELLED' } }]);
    await expect(cancel(id)).rejects.toMatchObject({ kind: 'conflict' });
  });

  it('about to be signed keeps it from being signed, and does not affect the orders with it', async () => {
    const [id = '', ...others] = await world.acceptMints(3);
    let stores = 0;
    const cancelsFirst: Hook = async (request, next) => {
      stores += request.body.includes('store-attempts') ? 1 : 0;
      if (request.body.includes('store-attempts') && stores === 1) await cancel(id);
      return next();
    };
    await world.driver(cancelsFirst).finish();
    expect(stores).toBeGreaterThan(1);
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
    expect(await world.attempts(id)).toEqual([]);
    await world.expectMintedOnce(others);
  });

  it('about to be signed, again and again, keeps no others from being signed', async () => {
    const ids = await world.acceptMints(7);
    // Accepted later, so that it is claimed after the others.
    const [last = ''] = await world.acceptMints(1);
    const { id: changing } = await world.order(last);
    const changes: Hook = async (request, next) => {
      if (request.body.includes('store-attempts') && request.body.includes(String(changing))) {
        await world.pool.query('update orders set version = version + 1 where id = $1', [changing]);
      }
      return await next();
    };
    await world.driver(changes).until(async () => {
      const orders = await Promise.all(ids.map((id) => world.order(id)));
      return orders.every(({ status }) => status === 'CONFIRMED');
    });
    await world.driver().finish();
    await world.expectMintedOnce(ids);
  });

  it('claimed by a driver that had read the head before is decided at a newer one', async () => {
    const [id = ''] = await world.acceptMints(1);
    const blocks: number[] = [];
    const headRead = Promise.withResolvers<void>();
    let [isRequested, requestedAt] = [false, 0];
    // Requested, without an answer of the chain, while the driver claims.
    const cancelsAfterHead: Hook = async ({ body }, next) => {
      if (body.includes('eth_getBlockByNumber')) return await next().finally(headRead.resolve);
      if (isRequested || body.includes('eth_')) return await next();
      isRequested = true;
      await headRead.promise;
      await world.chain.mine({ blocks: 1 });
      requestedAt = Number(await world.chain.getBlockNumber({ cacheTime: 0 }));
      await world.pool.query(
        'update orders set cancel_requested_at = now(), version = version + 1 where order_id = $1',
        [id],
      );
      return await next();
    };
    const { context } = world.driver();
    const findForeignEffect: typeof mintKind.findForeignEffect = ({ reads }) => {
      blocks.push(reads.blockNumber);
      return Promise.resolve(undefined);
    };
    const kinds = new Map([...context.kinds, ['mint', { ...mintKind, findForeignEffect }]]);
    await world.driver(cancelsAfterHead, 500, { ...context, kinds }).finish();
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
    expect(blocks.length).toBeGreaterThan(0);
    expect(Math.min(...blocks)).toBeGreaterThanOrEqual(requestedAt);
  });

  it('cancelled by its driver in the meantime ends it once', async () => {
    const [id = ''] = await world.acceptMints(1);
    let isFirst = true;
    let cancelledBefore = false;
    const driverIsFaster: Hook = async (request, next) => {
      if (isFirst && request.body.includes('end-transactions')) {
        isFirst = false;
        await world.driver().finish();
        cancelledBefore = (await world.order(id))['status'] === 'CANCELLED';
      }
      return next();
    };
    expect(await world.within(driverIsFaster, () => cancel(id))).toMatchObject({ state: 'cancelled', endings: 1 });
    expect(cancelledBefore).toBe(true);
    expect((await events(id)).map(({ type }) => type)).toEqual(['mint.cancelled']);
  });

  it.each(['waiting', 'held'])(
    '%s ends it at once even if its chain is paused and resumed meanwhile',
    async (state) => {
      const [id = ''] = await world.acceptMints(1);
      const { services, lane } = world.driver().context;
      const paused = { chainId: lane.chainId };
      const hold = () => holdPaused(services.db, services.hooks, paused, new Date());
      const reason = async () => (await world.order(id))['hold_reason'];
      if (state === 'held') await hold();
      const reasons = [await reason()];
      const pausesFirst: Hook = async (request, next) => {
        if (request.body.includes('end-transactions')) {
          await hold();
          reasons.push(await reason());
          await releaseHeld(services.db, paused, 'paused', new Date());
          reasons.push(await reason());
        }
        return next();
      };
      expect(await world.within(pausesFirst, () => cancel(id))).toMatchObject({ state: 'cancelled', endings: 1 });
      const before = state === 'held' ? 'paused' : null;
      expect(reasons).toEqual([before, before, null]);
    },
  );

  it('in the pool replaces its transaction; the one that is mined ends it, with its cost', async () => {
    const { id, driver } = await inPool();
    expect(await cancel(id)).toMatchObject({ state: 'signed', cancelRequestedAt: expect.any(Date) });
    expect(await events(id)).toEqual([]);
    driver.wakes.raise();
    await driver.until(async () => (await world.attempts(id)).length > 1);
    await mineAll(driver);
    expect(await purposes(id)).toEqual(['effect', 'cancel']);
    const [effect, { hash, raw } = {}] = await world.attempts(id);
    const { to, data, value, nonce } = parseTransaction(String(raw) as Hex);
    expect({ to, data, value, nonce }).toEqual({
      to: world.wallet.toLowerCase(),
      data: undefined,
      value: undefined,
      nonce: Number(effect?.['nonce']),
    });
    const order = await world.order(id);
    expect(order).toMatchObject({ status: 'CANCELLED', tx_hash: hash, gas_used: '21000' });
    expect(Number(order['total_fee_native'])).toBeGreaterThan(0);
    const cancelRequestedAt = (order['cancel_requested_at'] as Date).toISOString();
    expect(await events(id)).toMatchObject([
      { type: 'mint.cancelled', data: { status: 'CANCELLED', cancelRequestedAt } },
    ]);
  });

  it('mined in the meantime changes nothing: it is CONFIRMED, and its event has the time of the request', async () => {
    const { id, driver } = await inPool();
    await world.chain.mine({ blocks: 1 });
    const { cancelRequestedAt } = await cancel(id);
    await world.chain.setAutomine(true);
    await driver.finish();
    await world.expectMintedOnce([id]);
    expect(await purposes(id)).toEqual(['effect']);
    expect(await events(id)).toMatchObject([
      { type: 'mint.confirmed', data: { cancelRequestedAt: cancelRequestedAt?.toISOString() } },
    ]);
  });

  it('mined although its cancel was sent is CONFIRMED', async () => {
    const { id, driver } = await inPool();
    const [{ raw, hash: effect } = {}] = await world.attempts(id);
    await cancel(id);
    driver.wakes.raise();
    await driver.until(async () => (await world.attempts(id)).length > 1);
    await delay(300);
    const [, { hash } = {}] = await world.attempts(id);
    // A node that had only the first bytes makes the block.
    await world.chain.dropTransaction({ hash: hash as Hex });
    await world.chain.dropTransaction({ hash: effect as Hex });
    await world.chain.sendRawTransaction({ serializedTransaction: raw as Hex });
    await world.chain.mine({ blocks: 1 });
    await world.chain.setAutomine(true);
    await driver.finish();
    await world.expectMintedOnce([id]);
    expect((await events(id)).map(({ type }) => type)).toEqual(['mint.confirmed']);
  });

  it('in the pool waits while a cancel would have to offer more than the cap, and continues once it need not', async () => {
    const { id, driver } = await inPool();
    await cancel(id);
    const capped = await driverAtCap(id, driver);
    await capped.until(() => Promise.resolve(capped.memory.condition.state === 'fee-capped'));
    expect(await purposes(id)).toEqual(['effect']);
    expect(capped.memory.condition).toMatchObject({ state: 'fee-capped', orderId: id });
    const later = world.driver();
    await later.until(async () => (await world.attempts(id)).length > 1);
    await mineAll(later);
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
  });

  it('lost by its node while a cancel would have to offer more than the cap sends the same bytes again', async () => {
    const { id, driver } = await inPool();
    await cancel(id);
    const [{ hash } = {}] = await world.attempts(id);
    await world.chain.dropTransaction({ hash: String(hash) as Hex });
    const capped = await driverAtCap(id, driver);
    await capped.until(async () => {
      await world.chain.mine({ blocks: 1 });
      return (await world.order(id))['status'] === 'CONFIRMED';
    });
    await world.expectMintedOnce([id]);
    expect(await world.order(id)).toMatchObject({ tx_hash: hash });
  });

  it('waiting again, because a third party used its nonce, ends without another signature', async () => {
    const [id = ''] = await world.acceptMints(1);
    const cutOff = world.driver((request, next) =>
      request.body.includes('eth_sendRawTransaction')
        ? Promise.resolve(new Response('unavailable', { status: 503 }))
        : next(),
    );
    const run = cutOff.run();
    await expect.poll(async () => (await world.order(id))['state']).toBe('signed');
    await world.useNonceElsewhere();
    await run;
    await world.pool.query('update corporate_accounts set paused_at = now()');
    const driver = world.driver();
    await driver.until(async () => (await world.order(id))['hold_reason'] === 'paused');
    expect(await cancel(id)).toMatchObject({ state: 'waiting' });
    await driver.finish();
    await world.pool.query('update corporate_accounts set paused_at = null');
    expect(await world.order(id)).toMatchObject({ status: 'CANCELLED', tx_hash: null });
    expect(await purposes(id)).toEqual(['effect']);
  });
});

it('orders that are cancelled while a driver executes them: each is minted once or never, and has one event', async () => {
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  const ids = await world.acceptMints(60);
  const driver = world.driver();
  const work = driver.finish();
  const results = await Promise.allSettled(
    ids.map(async (id, index) => {
      await delay(index * 15);
      await cancel(id).finally(() => driver.wakes.raise());
    }),
  );
  await work;
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  for (const refusal of refusals) expect(refusal).toMatchObject({ kind: 'conflict' });
  const orders = await Promise.all(ids.map((id) => world.order(id)));
  const minted = ids.filter((_, index) => orders[index]?.['status'] === 'CONFIRMED');
  const cancelled = ids.filter((_, index) => orders[index]?.['status'] === 'CANCELLED');
  expect(minted.length + cancelled.length).toBe(ids.length);
  await world.expectMintedOnce(minted);
  for (const id of cancelled) expect((await events(id)).map(({ type }) => type)).toEqual(['mint.cancelled']);
});
