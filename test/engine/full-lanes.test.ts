import { afterAll, beforeAll, expect, it } from 'vitest';
import { MAX_SIGNED } from '../../src/engine/store/read-lane.ts';
import { finishFinally, startWorld, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: '12' }, true);
});
afterAll(() => world.stop());

const count = async (where: string) =>
  Number((await world.pool.query(`select count(*) from orders where ${where}`)).rows[0].count);

it('a free nonce below as many orders as may be signed is filled', async () => {
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 20 });
  await world.driver().run();
  const snapshot = await world.chain.snapshot();
  await world.useNonceElsewhere();
  // The next observation is the lane's first one.
  await world.pool.query('delete from lanes');
  await world.chain.setAutomine(false);
  const ids: string[] = [];
  while (ids.length < MAX_SIGNED) ids.push(...(await world.acceptMints(100, { erc721: true })));
  const driver = world.driver(undefined, 3_000);
  // Bundles count too, so that some orders still wait.
  await driver.until(async () => (await count("state = 'signed'")) >= MAX_SIGNED);
  expect(await count("state = 'waiting'")).toBeGreaterThan(0);

  // The foreign transaction is gone with its block.
  await world.chain.revert({ id: snapshot });
  await world.chain.setAutomine(true);
  await driver.until(async () => {
    driver.clock.ahead += 5_000;
    await world.chain.mine({ blocks: 2 });
    return (await count("state = 'signed'")) === 0;
  });
  await finishFinally(world, driver);
  await world.expectMintedOnce([ids.at(0) ?? '', ids.at(-1) ?? '']);
  const fillers = "kind = 'bundle' and not exists (select 1 from orders own where own.bundle_id = orders.id)";
  expect(await count(fillers)).toBe(1);
});
