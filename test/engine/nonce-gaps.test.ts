import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { startWorld, type Driver, type World } from './lane-world.ts';

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
  await world.chain.impersonateAccount({ address: world.wallet });
  for (let used = 0; used < count; used += 1) {
    await world.chain.sendTransaction({ account: world.wallet, chain: null, to: world.wallet, value: 0n });
  }
  await world.chain.stopImpersonatingAccount({ address: world.wallet });
  await world.chain.mine({ blocks: 1 });
}

/** A driver with several nodes; while `isLying`, the first ones say that the wallet has never sent anything. */
function driverOf({ nodes, lying }: { readonly nodes: number; readonly lying: number }) {
  const state = { isLying: false };
  const { context } = world.driver();
  const [url] = context.services.settings.chains.get(context.lane.chainId)?.rpcUrls ?? [];
  const urls = Array.from({ length: nodes }, (_, index) => `${url}/?node=${index + 1}`);
  const rpc = createRpcClient(urls, { chainId: '43114', batchSize: 50, timeoutMs: 2_000 });
  const driver = world.driver(
    async (request, next) => {
      const reply = await next();
      const isLiar = Number(new URL(request.url).searchParams.get('node') ?? 0) <= lying;
      if (!state.isLying || !isLiar || !request.body.startsWith('[{') || !request.url.includes('node=')) return reply;
      const calls = JSON.parse(request.body) as { id: number; method: string }[];
      const counts = new Set(calls.filter(({ method }) => method === 'eth_getTransactionCount').map(({ id }) => id));
      const answers = (await reply.json()) as { id: number }[];
      return Response.json(answers.map((each) => (counts.has(each.id) ? { ...each, result: '0x0' } : each)));
    },
    2_000,
    { ...context, chain: { ...context.chain, rpc } },
  );
  return { driver, state };
}

async function fillers(): Promise<number> {
  return (await world.pool.query("select 1 from transactions where kind = 'filler'")).rows.length;
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
  it('is closed by an order that waits, so that what is in flight is mined', async () => {
    const snapshot = await world.chain.snapshot();
    await useNoncesElsewhere(1);
    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(8);
    const driver = world.driver();
    await driver.until(async () => {
      const { rows } = await world.pool.query("select 1 from transactions where state = 'signed'");
      return rows.length === 4;
    });
    // The foreign transaction is gone with its block: its nonce must be used by another one.
    await world.chain.revert({ id: snapshot });
    await world.chain.setAutomine(true);
    await driver.finish();
    await world.expectMintedOnce(ids);
    expect(await fillers()).toBe(0);
  });
});
