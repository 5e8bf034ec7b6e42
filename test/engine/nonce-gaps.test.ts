import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keccak256, type Hex } from 'viem';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { allowErrors } from '../record/service-errors.ts';
import { startWorld, type Driver, type Hook, type World } from './lane-world.ts';

allowErrors('block.reorganized');

let world: World;
beforeAll(async () => {
  world = await startWorld({ IN_FLIGHT_WINDOW: '4', FINALITY_43114: '12' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.chain.setAutomine(true);
  await world.driver().finish();
  await world.chain.mine({ blocks: 20 });
});

/** The wallet uses its next nonces without this service. */
async function useNoncesElsewhere(count: number): Promise<void> {
  for (let used = 0; used < count; used += 1) {
    await world.useNonceElsewhere();
    // A node that mines at once counts it a moment later.
    await world.chain.mine({ blocks: 1 });
  }
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: readonly Hex[];
}

/** Replies to calls of one method with another result. */
const replying =
  (method: string, resultOf: (call: Call) => unknown): Hook =>
  async ({ body }, next) => {
    const isBatch = body.startsWith('[');
    const calls = [JSON.parse(body)].flat() as Call[];
    if (!calls.some((call) => call.method === method)) return await next();
    const others = calls.every((call) => call.method === method) ? [] : [await (await next()).json()].flat();
    const replies = calls.map((call) =>
      call.method === method
        ? { id: call.id, result: resultOf(call) }
        : (others as Call[]).find(({ id }) => id === call.id),
    );
    return Response.json(isBatch ? replies : replies[0]);
  };

const countingNone = replying('eth_getTransactionCount', () => '0x0');
const passingNothingOn = replying('eth_sendRawTransaction', ({ params: [raw = '0x'] }) => keccak256(raw));
const hidingReceipts = replying('eth_getTransactionReceipt', () => null);

/**
 * A driver with several nodes; while `isLying`, the first ones say that the wallet has never sent anything, or what
 * else is their lie.
 */
function driverOf({ nodes, lying, lie = countingNone }: { nodes: number; lying: number; lie?: Hook }) {
  const state = { isLying: false };
  const { context } = world.driver();
  const [url] = context.services.settings.chains.get(context.lane.chainId)?.rpcUrls ?? [];
  const urls = Array.from({ length: nodes }, (_, index) => `${url}/?node=${index + 1}`);
  const rpc = createRpcClient(urls, { chainId: '43114', batchSize: 50, timeoutMs: 2_000 });
  const hook: Hook = async (request, next) => {
    const node = Number(new URL(request.url).searchParams.get('node') ?? Infinity);
    return await (state.isLying && node <= lying ? lie(request, next) : next());
  };
  const driver = world.driver(hook, 2_000, { ...context, chain: { ...context.chain, rpc } });
  return { driver, state };
}

async function fillers(): Promise<number> {
  return (await world.pool.query("select 1 from orders where kind = 'bundle'")).rows.length;
}

/** Runs for longer than a gap must last until it is filled. */
async function runOn(driver: Driver): Promise<void> {
  for (let runs = 0; runs < 5; runs += 1) await driver.run();
}

describe('a node that no longer counts what strangers sent from the wallet', () => {
  it('causes no fillers if most nodes count it', async () => {
    await useNoncesElsewhere(10);
    await world.chain.setAutomine(false);
    const { driver, state } = driverOf({ nodes: 3, lying: 1 });
    await world.acceptMints(1);
    await driver.run();
    state.isLying = true;
    await runOn(driver);
    expect(await fillers()).toBe(0);
  });

  it('causes no fillers once a later transaction of the lane is final, even if it is the only node', async () => {
    await useNoncesElsewhere(10);
    const { driver, state } = driverOf({ nodes: 1, lying: 1 });
    const ids = await world.acceptMints(1);
    await world.chain.mine({ blocks: 20 });
    await driver.finish();
    await world.chain.mine({ blocks: 20 });
    await driver.run();
    await world.expectMintedOnce(ids);
    await world.chain.setAutomine(false);
    await world.acceptMints(1);
    await driver.run();
    state.isLying = true;
    await runOn(driver);
    expect(await fillers()).toBe(0);
  });
});

describe('a nonce gap below a full window', () => {
  it('is filled, so that what is in flight is mined', async () => {
    const snapshot = await world.chain.snapshot();
    await useNoncesElsewhere(1);
    // The next observation is the lane's first one.
    await world.pool.query('delete from lanes');
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(8);
    const driver = world.driver();
    await driver.until(async () => {
      const { rows } = await world.pool.query("select 1 from orders where state = 'signed'");
      return rows.length === 4;
    });
    // The foreign transaction is gone with its block: its nonce must be used by another one.
    await world.chain.revert({ id: snapshot });
    await world.chain.setAutomine(true);
    await world.chain.mine({ blocks: 3 });
    await driver.finish();
    await world.expectMintedOnce(ids);
    expect(await fillers()).toBe(1);
  });
});

it('what another driver has ended leaves no doubt in one that did not find its receipt', async () => {
  const { driver, state } = driverOf({ nodes: 1, lying: 1, lie: hidingReceipts });
  const isInDoubt = () => driver.memory.tracked.isAnyMissing(Date.now());
  const [id = ''] = await world.acceptMints(1);
  state.isLying = true;
  await driver.until(() => Promise.resolve(isInDoubt()));
  state.isLying = false;
  await world.driver().finish();
  await driver.run();
  expect(isInDoubt()).toBe(false);
  await world.expectMintedOnce([id]);
});

it('a gap is closed by the bytes of the order that it belongs to, although the first of three nodes passes nothing on', async () => {
  await world.chain.setAutomine(false);
  const [lost = ''] = await world.acceptMints(1);
  await world.driver().until(async () => (await world.order(lost))['status'] === 'SENT');
  const [attempt] = await world.attempts(lost);
  // Held by a kind that only a later version knows.
  await world.pool.query("update orders set kind = 'novel' where order_id = $1", [lost]);
  await world.chain.dropTransaction({ hash: String(attempt?.['hash']) as Hex });
  await world.chain.setAutomine(true);
  const [id = ''] = await world.acceptMints(1);
  const { driver, state } = driverOf({ nodes: 3, lying: 1, lie: passingNothingOn });
  state.isLying = true;
  await driver.until(async () => {
    driver.clock.ahead += 5_000;
    return (await world.order(id))['status'] === 'CONFIRMED';
  });
  await world.pool.query("update orders set kind = 'mint' where order_id = $1", [lost]);
  await driver.finish();
  await world.expectMintedOnce([lost, id]);
});

it('what was confirmed in a block that the chain has left is reopened as soon as others wait behind its nonce, long before its finality', async () => {
  const snapshot = await world.chain.snapshot();
  const [gone = ''] = await world.acceptMints(1);
  const driver = world.driver();
  await driver.until(async () => (await world.order(gone))['status'] === 'CONFIRMED');

  await world.chain.revert({ id: snapshot });
  await world.chain.setAutomine(false);
  // No fewer blocks than before, but none is final.
  await world.chain.mine({ blocks: 5 });
  const [behind = ''] = await world.acceptMints(1);
  await driver.until(async () => {
    driver.clock.ahead += 5_000;
    return (await world.order(gone))['status'] === 'SENT';
  });
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  await driver.finish();
  await world.expectMintedOnce([gone, behind]);
});
