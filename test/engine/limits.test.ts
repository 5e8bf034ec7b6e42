import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseEther, parseGwei, type Address } from 'viem';
import { storeLimits } from '../../src/limits/limits.store.ts';
import { releaseHeld } from '../../src/engine/store/pauses.ts';
import type { StoredLimits, StoredSpendLimits } from '../../src/platform/database/schema.ts';
import { startWorld, type Driver, type Hook, type World } from './lane-world.ts';

const chainId = '43114';
const stranger: Address = '0x000000000000000000000000000000000000dEaD';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const NONE: StoredLimits = {
  ordersPerDay: null,
  pendingOrders: null,
  receivers: null,
  contracts: null,
  chains: null,
  spend: {},
};

async function limit(limits: Partial<StoredLimits>) {
  const { db } = world.driver().context.services;
  await storeLimits(db, 'c', { ...NONE, ...limits }, new Date());
  await releaseHeld(db, { accountId: world.accountId }, 'limit', new Date());
}

const limitSpend = (spend: Partial<StoredSpendLimits>) =>
  limit({ spend: { [chainId]: { perDay: null, perOrder: null, gasPrice: null, ...spend } } });

beforeEach(async () => {
  await world.chain.setAutomine(true);
  await limit({});
  await world.driver().finish();
  // Each test has a day of its own.
  await world.pool.query('truncate orders, attempts, lanes, webhook_events, webhook_logs cascade');
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') });
  await world.chain.mine({ blocks: 1 });
});

const count = async (table: string) => Number((await world.pool.query(`select count(*) from ${table}`)).rows[0].count);
const spent = async () =>
  BigInt((await world.pool.query('select coalesce(sum(spent_wei), 0) as wei from orders')).rows[0].wei);
const waiting = async () => {
  const { rows } = await world.pool.query("select hold_reason from orders where state = 'waiting'");
  return rows.map(({ hold_reason: reason }) => reason as string | null);
};

const RATE_LIMITED = { kind: 'rate-limited', retryAfterSeconds: expect.any(Number) };

/** Accepts so many orders, each by a request of its own, all at once. @returns how many were accepted. */
async function acceptAtOnce(orders: number) {
  const results = await Promise.allSettled(Array.from({ length: orders }, () => world.acceptMints(1)));
  for (const result of results.filter(({ status }) => status === 'rejected'))
    expect(result).toMatchObject({ reason: RATE_LIMITED });
  return results.filter(({ status }) => status === 'fulfilled').length;
}

describe('orders per day', () => {
  it('are accepted up to the limit, and not one more', async () => {
    await limit({ ordersPerDay: 3 });
    await world.acceptMints(2);
    await world.acceptMints(1);
    await expect(world.acceptMints(1)).rejects.toMatchObject({ ...RATE_LIMITED, issues: [{ path: 'ordersPerDay' }] });
    await world.driver().finish();
    await expect(world.acceptMints(1)).rejects.toMatchObject(RATE_LIMITED);
    expect(await count('orders')).toBe(3);
  });

  it('are never more than the limit, however many are requested at once', async () => {
    await limit({ ordersPerDay: 7 });
    expect(await acceptAtOnce(25)).toBe(7);
    expect(await count('orders')).toBe(7);
  });

  it('of yesterday do not count', async () => {
    await limit({ ordersPerDay: 1 });
    const [id = ''] = await world.acceptMints(1);
    await world.driver().finish();
    await expect(world.acceptMints(1)).rejects.toMatchObject(RATE_LIMITED);
    // An id has its time; this one's is long ago.
    await world.pool.query('delete from attempts');
    await world.pool.query("update orders set id = '000' || substr(id, 4) where order_id = $1", [id]);
    await world.pool.query("update account_limits set orders_day = orders_day - interval '1 day'");
    await world.acceptMints(1);
    await expect(world.acceptMints(1)).rejects.toMatchObject(RATE_LIMITED);
  });

  it('count from the start of the day, whenever the limit was set or changed', async () => {
    await world.acceptMints(2);
    await limit({ ordersPerDay: 3 });
    await world.acceptMints(1);
    await limit({});
    await world.acceptMints(2);
    await limit({ ordersPerDay: 6 });
    await world.acceptMints(1);
    await expect(world.acceptMints(1)).rejects.toMatchObject(RATE_LIMITED);
  });

  it('are counted once a day, however many there are: later orders read none of the earlier ones', async () => {
    await limit({ ordersPerDay: 100 });
    await world.acceptMints(1);
    // What is counted is what the limits' row says.
    await world.pool.query('update account_limits set orders_of_day = 99');
    await world.acceptMints(1);
    await expect(world.acceptMints(1)).rejects.toMatchObject(RATE_LIMITED);
  });

  it('count on the day of their acceptance, though their ids are older, as those of an import that waited', async () => {
    await limit({ ordersPerDay: 3 });
    await world.acceptMints(2, { madeAt: new Date(Date.now() - 86_400_000) });
    await world.acceptMints(1);
    await expect(world.acceptMints(1)).rejects.toMatchObject(RATE_LIMITED);
  });

  it('that are refused are not counted', async () => {
    await limit({ ordersPerDay: 3 });
    await world.acceptMints(2);
    await expect(world.acceptMints(2)).rejects.toMatchObject(RATE_LIMITED);
    await world.acceptMints(1);
  });

  it('of a request with several are refused one by one, the last first', async () => {
    await limit({ ordersPerDay: 3 });
    const refused = await world.acceptMints(5).catch((error: { refusals: Map<string, unknown> }) => error.refusals);
    expect(refused).toBeInstanceOf(Map);
    expect((refused as Map<string, unknown>).size).toBe(2);
    expect(await count('orders')).toBe(0);
  });
});

describe('pending orders', () => {
  it('are accepted up to the limit, and again when some have ended', async () => {
    await limit({ pendingOrders: 2 });
    await world.acceptMints(2);
    await expect(world.acceptMints(1)).rejects.toMatchObject({ ...RATE_LIMITED, issues: [{ path: 'pendingOrders' }] });
    await world.driver().finish();
    await world.acceptMints(1);
  });

  it('are never more than the limit, however many are requested at once', async () => {
    await limit({ pendingOrders: 4 });
    expect(await acceptAtOnce(20)).toBe(4);
  });
});

describe('spend per day', () => {
  it('is reserved by acceptance if orders have a limit, up to the limit and never above it', async () => {
    const perOrder = parseEther('0.1');
    await limitSpend({ perOrder: String(perOrder), perDay: String(perOrder * 3n) });
    expect(await acceptAtOnce(15)).toBe(3);
    await expect(world.acceptMints(1)).rejects.toMatchObject({ ...RATE_LIMITED, issues: [{ path: 'spendPerDay' }] });
    await world.driver().finish();
    // The cost is less than what was reserved.
    expect(await spent()).toBeLessThan(perOrder);
    expect(await acceptAtOnce(5)).toBe(2);
    await world.driver().finish();
  });

  it('that is used up refuses orders, and holds those accepted before until there is more', async () => {
    const early = await world.acceptMints(2);
    await limitSpend({ perDay: '0' });
    await expect(world.acceptMints(1)).rejects.toMatchObject(RATE_LIMITED);
    await world.driver().run();
    expect(await waiting()).toEqual(['limit', 'limit']);
    await limitSpend({ perDay: String(parseEther('1')) });
    await world.driver().finish();
    await world.expectMintedOnce(early);
  });

  it('is the fee of what is mined, exactly', async () => {
    const ids = await world.acceptMints(4);
    await world.driver().finish();
    const fees = await Promise.all(
      ids.map(async (id) => parseEther(String((await world.order(id))['total_fee_native']))),
    );
    expect(await spent()).toBe(fees.reduce((sum, fee) => sum + fee));
  });

  it('is the most that signed bytes may cost until one of them is mined', async () => {
    await world.chain.setAutomine(false);
    await world.acceptMints(3);
    await world.driver().run();
    const { rows } = await world.pool.query('select sum(gas * max_fee_per_gas) as wei from attempts');
    expect(await spent()).toBe(BigInt(rows[0].wei));
    expect(await spent()).toBeGreaterThan(0n);
  });

  it('allows exactly what the limit has room for', async () => {
    await world.chain.setAutomine(false);
    await world.acceptMints(1);
    await world.driver().run();
    const one = await spent();
    // The same block, so the same price.
    for (const [perDay, signed] of [
      [one * 3n - 1n, 2],
      [one * 3n, 3],
    ] as const) {
      await limitSpend({ perDay: String(perDay) });
      if (signed === 2) await world.acceptMints(4);
      await world.driver().run();
      expect(await count("orders where state = 'signed'")).toBe(signed);
      expect(await spent()).toBe(one * BigInt(signed));
    }
    expect(await waiting()).toEqual(['limit', 'limit']);
  });

  it('is never exceeded by two drivers that each found room for one', async () => {
    await world.chain.setAutomine(false);
    await world.acceptMints(1);
    await world.driver().run();
    const one = await spent();
    await limitSpend({ perDay: String(one * 2n) });
    const prepared = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const meets =
      (index: number): Hook =>
      async (request, next) => {
        if (request.body.includes('store-attempts')) {
          prepared[index]?.resolve();
          await Promise.all(prepared.map(({ promise }) => promise));
        }
        return next();
      };
    const drivers: Driver[] = [];
    const runs: Promise<number | null>[] = [];
    for (const index of [0, 1]) {
      await world.acceptMints(1);
      const driver = world.driver(meets(index), 3_000);
      drivers.push(driver);
      runs.push(driver.run());
      await prepared[index]?.promise;
    }
    await Promise.all(runs);
    expect(await spent()).toBe(one * 2n);
    await expect.poll(waiting).toEqual(['limit']);
    expect(drivers.flatMap(({ events }) => events.map(({ event }) => event))).toContain('lane.outdated');
  });

  it('is never exceeded by a chunk that was prepared before an earlier one was stored', async () => {
    await world.chain.setAutomine(false);
    await world.acceptMints(1);
    await world.driver().run();
    const perDay = (await spent()) * 111n;
    await limitSpend({ perDay: String(perDay) });
    await world.acceptMints(150);
    let claims = 0;
    const isSecondClaimed = Promise.withResolvers<void>();
    const storesLate: Hook = async (request, next) => {
      if (request.body.includes('store-attempts')) await isSecondClaimed.promise;
      const reply = await next();
      claims += request.body.includes('claim-transactions') ? 1 : 0;
      if (claims === 2) isSecondClaimed.resolve();
      return reply;
    };
    const driver = world.driver(storesLate, 3_000);
    await driver.run();
    // A slow machine needs more than one run.
    await driver.until(async () => (await waiting()).every((reason) => reason === 'limit'));
    expect(await waiting()).not.toEqual([]);
    expect(await spent()).toBeLessThanOrEqual(perDay);
    expect(await count("orders where state = 'signed'")).toBeGreaterThan(100);
  });
});

describe('spend per order', () => {
  it('holds what may cost more, to the wei, and lets others continue', async () => {
    await world.chain.setAutomine(false);
    await world.acceptMints(1);
    await world.driver().run();
    const one = await spent();
    await limitSpend({ perOrder: String(one - 1n) });
    await world.acceptMints(1);
    await world.driver().run();
    expect(await waiting()).toEqual(['limit']);
    await limitSpend({ perOrder: String(one) });
    await world.driver().run();
    expect(await waiting()).toEqual([]);
  });
});

describe('the gas price', () => {
  it('is allowed up to exactly what the next block needs, and not one wei less', async () => {
    await world.chain.setAutomine(false);
    await world.acceptMints(1);
    await world.driver().run();
    const { rows } = await world.pool.query(
      'select max_fee_per_gas as fee, max_priority_fee_per_gas as tip from attempts',
    );
    const tip = BigInt(rows[0].tip);
    const baseFee = (BigInt(rows[0].fee) - tip) / 2n;
    const least = baseFee + baseFee / 8n + tip;
    await limitSpend({ gasPrice: String(least - 1n) });
    const [id = ''] = await world.acceptMints(1);
    await world.driver().run();
    expect(await waiting()).toEqual(['limit']);
    await limitSpend({ gasPrice: String(least) });
    await world.driver().run();
    expect((await world.attempts(id)).map(({ max_fee_per_gas: fee }) => fee)).toEqual([String(least)]);
  });

  it('above the limit holds orders; below it they never offer more', async () => {
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('30') });
    await world.chain.mine({ blocks: 1 });
    await limitSpend({ gasPrice: String(parseGwei('20')) });
    const ids = await world.acceptMints(2);
    const driver = world.driver();
    await driver.run();
    expect(await waiting()).toEqual(['limit', 'limit']);
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('15') });
    await world.chain.mine({ blocks: 1 });
    await world.makeDue();
    await driver.finish();
    await world.expectMintedOnce(ids);
    const { rows } = await world.pool.query('select max(max_fee_per_gas) as most from attempts');
    expect(BigInt(rows[0].most)).toBeLessThanOrEqual(parseGwei('20'));
  });
});

describe.each([
  ['chains', { chains: ['1'] }, { chains: [chainId] }],
  ['contracts', { contracts: [stranger.toLowerCase()] }, {}],
  ['receivers', { receivers: [stranger.toLowerCase()] }, { receivers: ['0x70997970c51812dc3a010c7d01b50e0d17dc79c8'] }],
])('allowed %s', (name, narrow, wide) => {
  it('refuse what is not among them, and hold what was accepted before', async () => {
    const early = await world.acceptMints(1);
    await limit(narrow);
    await expect(world.acceptMints(1)).rejects.toMatchObject({ kind: 'forbidden', issues: [{ path: name }] });
    const driver = world.driver();
    await driver.run();
    expect(await waiting()).toEqual(['limit']);
    await limit(wide);
    await driver.finish();
    await world.expectMintedOnce(early);
    await world.acceptMints(1);
  });
});

describe.each<[string, Partial<StoredLimits>]>([
  ['spend per order', { spend: { [chainId]: { perDay: null, perOrder: '1', gasPrice: null } } }],
  ['the gas price', { spend: { [chainId]: { perDay: null, perOrder: null, gasPrice: '1' } } }],
  ['allowed chains', { chains: ['1'] }],
  ['allowed contracts', { contracts: [stranger.toLowerCase()] }],
  ['allowed receivers', { receivers: [stranger.toLowerCase()] }],
])('%s', (_, limits) => {
  it('let no order pass that is accepted or driven while the limit is set, by two drivers at once', async () => {
    await world.acceptMints(3);
    // Acceptance takes part in the race as well; what it refuses is not stored.
    const racing = Array.from({ length: 6 }, () => world.acceptMints(1));
    const [accepted] = await Promise.all([Promise.allSettled(racing), limit(limits)]);
    for (const result of accepted.filter(({ status }) => status === 'rejected')) {
      expect(result).toMatchObject({ reason: { kind: 'forbidden' } });
    }
    const orders = await count('orders');
    expect(orders).toBe(3 + accepted.filter(({ status }) => status === 'fulfilled').length);
    const driven = async () => {
      await world.makeDue();
      await Promise.all([world.driver().run(), world.driver().run()]);
      return await waiting();
    };
    await expect.poll(driven).toEqual(Array.from({ length: orders }, () => 'limit'));
    expect(await count('attempts')).toBe(0);
    await limit({});
    await world.driver().finish();
    const { rows } = await world.pool.query<{ id: string }>("select id from orders where kind = 'mint'");
    await world.expectMintedOnce(rows.map(({ id }) => id));
  });
});

it('nothing is signed under replaced limits, even if a driver had claimed it before', async () => {
  const [id = ''] = await world.acceptMints(1);
  let isFirst = true;
  const narrows: Hook = async (request, next) => {
    if (request.body.includes('store-attempts') && isFirst) {
      isFirst = false;
      await limit({ chains: [] });
    }
    return next();
  };
  await world.driver(narrows).run();
  expect(isFirst).toBe(false);
  expect(await world.attempts(id)).toEqual([]);
});

it('limits cost no round trip: they are read with a claim and checked with signed bytes', async () => {
  await limitSpend({ perDay: String(parseEther('100')), gasPrice: String(parseGwei('500')) });
  const ids = await world.acceptMints(100);
  const batches: string[] = [];
  const notes: Hook = (request, next) => {
    if (request.body.includes('account_limits')) batches.push(request.body);
    return next();
  };
  await world.driver(notes).finish();
  await world.expectMintedOnce(ids);
  const stores = batches.filter((batch) => batch.includes('store-attempts') && batch.includes('lock-limits'));
  const claims = batches.filter((batch) => batch.includes('claim-transactions'));
  expect(stores.length).toBeGreaterThan(0);
  expect(stores.length + claims.length).toBe(batches.length);
});
