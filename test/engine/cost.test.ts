import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/record-id.ts';
import { NOTICES } from '../../src/webhooks/notices.ts';
import { startWorld, type Hook, type World } from './lane-world.ts';

const WINDOW = 256;

let world: World;
beforeAll(async () => {
  world = await startWorld({ IN_FLIGHT_WINDOW: String(WINDOW) });
  // Whatever there is to tell costs no round trip of its own.
  await world.pool.query(
    `insert into webhook_endpoints (id, corporate_account_id, managed_by, url, event_types, secret_id, secret)
     values ($1, $2, 'account', 'https://hooks.example', $3, $1, 'whsec_x')`,
    [newId(), world.accountId, Object.keys(NOTICES)],
  );
});
afterAll(() => world.stop());

/** Counts a driver's requests, and the node's methods in them. */
function counting() {
  const counts = { database: 0, chain: 0 };
  const methods: Record<string, number> = {};
  const hook: Hook = (request, next) => {
    if (request.body.includes('"eth_')) {
      counts.chain += 1;
      for (const [, method = ''] of request.body.matchAll(/"method":"(\w+)"/g))
        methods[method] = (methods[method] ?? 0) + 1;
    } else if (!request.body.includes('"jsonrpc"')) counts.database += 1;
    return next();
  };
  return { counts, methods, hook };
}

it('100 mints of one wallet take 6 round trips of the database and 12 requests of the chain at most', async () => {
  // The first run of a wallet also reads its contract's code.
  const warm = world.driver();
  await world.acceptMints(1);
  await warm.finish();
  const ids = await world.acceptMints(100);
  const { counts, methods, hook } = counting();
  // One block has all of them: what a node answers while it mines some of them would be asked for again.
  await world.chain.setAutomine(false);
  const sentBytes = new Set<string>();
  let early = 0;
  const mineOnceSent: Hook = async (request, next) => {
    const reply = await hook(request, next);
    const before = sentBytes.size;
    for (const [bytes] of request.body.matchAll(/"0x02[\da-f]{200,}"/g)) sentBytes.add(bytes);
    if (before < 100 && sentBytes.size === 100) await world.chain.mine({ blocks: 1 });
    // A head that was read between the first bytes and the last ones shows nothing yet.
    if (sentBytes.size > 0 && sentBytes.size < 100 && request.body.includes('eth_getBlockByNumber')) early += 1;
    return reply;
  };
  expect(await world.driver(mineOnceSent, 25_000).run()).toBeNull();
  await world.chain.setAutomine(true);
  await world.expectMintedOnce(ids);
  const { rows: sent } = await world.pool.query(
    "select 1 from webhook_deliveries where event_type = 'order.sent' and related_order_id = any($1)",
    [ids],
  );
  expect(sent).toHaveLength(100);
  expect(sentBytes.size).toBe(100);
  expect(methods['eth_estimateGas']).toBe(100);
  expect(counts.database).toBeLessThanOrEqual(6);
  expect(counts.chain).toBeLessThanOrEqual(12 + early);
});

it('transactions without a slot are left alone: without new blocks, nothing is estimated or sent again', async () => {
  await world.chain.setAutomine(false);
  const ids = await world.acceptMints(400);
  const { counts, methods, hook } = counting();
  const driver = world.driver(hook, 3_000);
  await driver.run();
  expect(methods['eth_estimateGas']).toBeLessThanOrEqual(WINDOW);
  expect(methods['eth_sendRawTransaction']).toBeLessThanOrEqual(WINDOW);
  expect(counts.database).toBeLessThanOrEqual(16);
  const { rows } = await world.pool.query("select count(*)::int from orders where state = 'waiting' and tries = 0");
  expect(rows[0].count).toBeGreaterThanOrEqual(144);
  const isMinted = async () => {
    await world.chain.mine({ blocks: 1 });
    const { rows: open } = await world.pool.query("select 1 from orders where state <> 'confirmed' limit 1");
    return open.length === 0;
  };
  await driver.until(isMinted);
  await world.chain.setAutomine(true);
  await world.expectMintedOnce(ids);
});

describe('mints that share transactions', () => {
  let shared: World;
  beforeAll(async () => {
    shared = await startWorld({}, true);
  });
  afterAll(() => shared.stop());

  it('take 25 calls of the chain at most, a hundred of them', async () => {
    const warm = shared.driver();
    await shared.acceptMints(1);
    await warm.finish();
    const ids = await shared.acceptMints(100);
    const { counts, methods, hook } = counting();
    await shared.driver(hook, 25_000).run();
    await shared.expectMintedOnce(ids);
    expect(methods['eth_sendRawTransaction']).toBe(1);
    expect(Object.values(methods).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(25);
    expect(counts.database).toBeLessThanOrEqual(6);
  });

  it('all end by the poll that finds them mined, however many they are', async () => {
    await shared.chain.setAutomine(false);
    const ids = await shared.acceptMints(500);
    const confirmed = async () => {
      const { rows } = await shared.pool.query(
        "select count(*)::int from orders where status = 'CONFIRMED' and id = any($1)",
        [ids],
      );
      return Number(rows[0].count);
    };
    const found = new Set<number>();
    const hook: Hook = async (request, next) => {
      if (request.body.includes('"latest"')) found.add(await confirmed());
      return await next();
    };
    const driver = shared.driver(hook);
    await driver.until(async () => {
      const { rows } = await shared.pool.query("select 1 from orders where state = 'waiting' limit 1");
      return rows.length === 0;
    });
    await shared.chain.mine({ blocks: 1 });
    await driver.finish();
    await shared.chain.setAutomine(true);
    await shared.expectMintedOnce(ids);
    expect([...found].filter((count) => count > 0 && count < ids.length)).toEqual([]);
  });
});
