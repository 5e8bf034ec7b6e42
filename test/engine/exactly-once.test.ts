import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WAITING, startWorld, type Hook, type World } from './lane-world.ts';
import { allowErrors } from '../record/service-errors.ts';

allowErrors('lane.store_failed', 'lane.settle_failed', 'lane.afterwards_failed');

let world: World;

describe.each([
  ['alone', false],
  ['in bundles', true],
] as const)('each order is executed exactly once, %s', (_name, hasBundles) => {
  beforeAll(async () => {
    world = await startWorld({}, hasBundles);
  });
  afterAll(() => world.stop());

  it('by one driver', async () => {
    const ids = await world.acceptMints(120);
    await world.driver().finish();
    await world.expectMintedOnce(ids);
  });

  it('by four independent drivers', async () => {
    const ids = await world.acceptMints(150);
    await Promise.all(Array.from({ length: 4 }, () => world.driver().finish()));
    await world.expectMintedOnce(ids);
  });

  it('by four drivers while blocks are slow and orders keep arriving', async () => {
    await world.chain.setAutomine(false);
    await world.chain.setIntervalMining({ interval: 1 });
    try {
      const ids: string[] = [];
      const accepting = (async () => {
        for (let round = 0; round < 10; round += 1) ids.push(...(await world.acceptMints(20)));
      })();
      await accepting;
      const drivers = Array.from({ length: 4 }, () => world.driver());
      await Promise.all(drivers.map((driver) => driver.finish()));
      await world.expectMintedOnce(ids);
      // What another driver has signed puts none in doubt.
      expect(drivers.flatMap(({ events }) => events).map(({ event }) => event)).not.toContain('order.held');
    } finally {
      await world.chain.setIntervalMining({ interval: 0 });
      await world.chain.setAutomine(true);
    }
  });

  it('each with a nonce of its own, also while those before are in flight', async () => {
    await world.chain.setAutomine(false);
    const driver = world.driver();
    const ids: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      ids.push(...(await world.acceptMints(3)));
      driver.wakes.raise();
      await driver.until(async () =>
        (await Promise.all(ids.map((id) => world.order(id)))).every(({ status }) => status === 'SENT'),
      );
    }
    expect(driver.events.map(({ event }) => event)).not.toContain('lane.outdated');
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 1 });
    await driver.finish();
    await world.expectMintedOnce(ids);
  });

  it('by the next driver, before or after whichever request the first one was killed', async () => {
    for (const isAfter of [false, true]) {
      for (let at = 1; at <= 16; at += 1) {
        const ids = await world.acceptMints(3);
        let made = 0;
        const mortal: Hook = async (_, next) => {
          made += 1;
          if (made < at) return await next();
          if (made === at && isAfter) await next();
          throw new Error('Killed');
        };
        await world
          .driver(mortal)
          .run()
          .catch(() => null);
        await world.makeDue();
        await world.driver().finish();
        await world.expectMintedOnce(ids);
      }
    }
  });

  it('by bytes that were stored before they left, whatever happens to the reply to storing them', async () => {
    const ids = await world.acceptMints(130);
    let stores = 0;
    let sent = 0;
    const unstored: string[] = [];
    const watching: Hook = async ({ body }, next) => {
      if (body.includes('/* store-attempts */')) {
        stores += 1;
        // Another driver was faster; not stored; stored, and the reply is lost.
        if (stores === 1) await world.pool.query(`update orders set version = version + 1 where ${WAITING}`);
        if (stores === 2) throw new TypeError('fetch failed');
        if (stores === 3) await next();
        if (stores === 3) throw new TypeError('fetch failed');
      }
      for (const [, raw] of body.matchAll(/"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"\]/g)) {
        sent += 1;
        const { rows } = await world.pool.query('select 1 from attempts where raw = $1', [raw]);
        if (rows.length === 0) unstored.push(String(raw));
      }
      return await next();
    };
    const driver = world.driver(watching);
    for (let run = 0; run < 3; run += 1) {
      await driver.run();
      await world.makeDue();
    }
    await driver.finish();
    await world.expectMintedOnce(ids);
    expect(stores).toBeGreaterThan(3);
    expect(unstored).toEqual([]);
    expect(sent).toBeGreaterThanOrEqual(hasBundles ? 2 : ids.length);
  });

  it('a driver whose time is over when the reply to storing bytes is lost goes on without a wake-up', async () => {
    const ids = await world.acceptMints(1);
    let isLost = false;
    const driver = world.driver(async ({ body }, next) => {
      const reply = await next();
      if (isLost || !body.includes('/* store-attempts */')) return reply;
      isLost = true;
      await delay(600);
      throw new TypeError('fetch failed');
    }, 300);
    const nextAt = await driver.run();
    expect(isLost).toBe(true);
    expect(nextAt).not.toBeNull();
    await driver.finish();
    await world.expectMintedOnce(ids);
  });

  it('a driver whose time is over before what it claimed is estimated signs it, and goes on without a wake-up', async () => {
    const ids = await world.acceptMints(1);
    const driver = world.driver(async ({ body }, next) => {
      if (body.includes('eth_estimateGas')) await delay(600);
      return await next();
    }, 300);
    expect(await driver.run()).not.toBeNull();
    expect(await world.attempts(ids[0] ?? '')).toHaveLength(1);
    await world.driver().finish();
    await world.expectMintedOnce(ids);
  });

  it('with every nonce of the wallet used once', async () => {
    const { rows } = await world.pool.query<{ nonce: string }>(
      'select nonce from orders where nonce is not null and bundle_id is null order by nonce',
    );
    const count = await world.chain.getTransactionCount({ address: world.wallet });
    expect(rows.map(({ nonce }) => Number(nonce))).toEqual(Array.from({ length: count }, (_, index) => index));
  });
});
