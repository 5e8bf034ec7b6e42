import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { toHex } from 'viem';
import { createRpcClient } from '../../src/chains/rpc-client.ts';
import { allowErrors } from '../record/service-errors.ts';
import { startWorld, type Hook, type World } from './lane-world.ts';

allowErrors('block.reorganized', 'lane.store_failed');

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: '400' });
});
afterAll(() => world.stop());
beforeEach(async () => {
  await world.pool.query('drop trigger if exists reject on orders');
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 450 });
  await world.driver().finish();
});

interface Call {
  readonly id: number;
  readonly method: string;
}

/** A driver with several nodes, of which the first ones count fewer transactions while `count` is set. */
function driverOf({ nodes, lying, runMs }: { nodes: number; lying: number; runMs: number }) {
  const state: { count: number | undefined } = { count: undefined };
  const { context } = world.driver();
  const [url] = context.services.settings.chains.get(context.lane.chainId)?.rpcUrls ?? [];
  const urls = Array.from({ length: nodes }, (_, index) => `${url}/?node=${index + 1}`);
  const rpc = createRpcClient(urls, { chainId: '43114', batchSize: 50, timeoutMs: 2_000 });
  const hook: Hook = async ({ url: to, body }, next) => {
    const node = Number(new URL(to).searchParams.get('node') ?? Infinity);
    const reply = await next();
    const { count } = state;
    if (count === undefined || node > lying) return reply;
    const isBatch = body.startsWith('[');
    const calls = [JSON.parse(body)].flat() as Call[];
    const replies = ([await reply.json()].flat() as Call[]).map((one) =>
      calls.find(({ id }) => id === one.id)?.method === 'eth_getTransactionCount'
        ? { jsonrpc: '2.0', id: one.id, result: toHex(count) }
        : one,
    );
    return Response.json(isBatch ? replies : replies[0]);
  };
  return { driver: world.driver(hook, runMs, { ...context, chain: { ...context.chain, rpc } }), state };
}

async function fillers(): Promise<number> {
  const { rows } = await world.pool.query(
    "select 1 from orders where kind = 'bundle' and not exists (select 1 from orders own where own.bundle_id = orders.id)",
  );
  return rows.length;
}

it.each([
  { nodes: 3, lying: 2 },
  { nodes: 1, lying: 1 },
])('$lying of $nodes nodes that lag for a second in what a stranger sent cause no filler', async ({ nodes, lying }) => {
  const before = await fillers();
  await world.useNonceElsewhere();
  await world.chain.mine({ blocks: 2 });
  // The next observation is the lane's first one.
  await world.pool.query('delete from lanes');
  const used = await world.chain.getTransactionCount({ address: world.wallet });
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  const { driver, state } = driverOf({ nodes, lying, runMs: 1_000 });
  await driver.run();
  expect(await world.order(id)).toMatchObject({ status: 'SENT' });
  state.count = used - 1;
  await driver.run();
  state.count = undefined;
  await driver.run();
  expect(await fillers()).toBe(before);
});

it('a filler that the database refuses once is signed later in the same run', async () => {
  const before = await fillers();
  const snapshot = await world.chain.snapshot();
  await world.useNonceElsewhere();
  await world.chain.mine({ blocks: 1 });
  await world.pool.query('delete from lanes');
  await world.chain.setAutomine(false);
  const ids = await world.acceptMints(1);
  const { driver } = driverOf({ nodes: 1, lying: 0, runMs: 12_000 });
  await world.driver().until(async () => (await world.order(ids[0] ?? ''))['status'] === 'SENT');
  await world.chain.revert({ id: snapshot });
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 3 });
  await world.pool.query(
    `create or replace function reject() returns trigger language plpgsql as $$ begin raise exception 'rejected'; end $$;
     create trigger reject before insert on orders for each row when (new.kind = 'bundle') execute function reject()`,
  );
  const running = driver.run();
  await expect.poll(() => driver.events.some(({ event }) => event === 'lane.store_failed')).toBe(true);
  await world.pool.query('drop trigger reject on orders');
  await running;
  const filled = await fillers();
  await driver.finish();
  await world.expectMintedOnce(ids);
  expect(filled).toBe(before + 1);
});
