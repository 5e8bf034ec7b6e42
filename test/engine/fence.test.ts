import { afterAll, beforeAll, expect, it } from 'vitest';
import { raiseFence } from '../../operations/raise-fence.ts';
import { isFencedOff } from '../../src/engine/store/fence.ts';
import { startWorld } from './lane-world.ts';
import type { World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const raise = () => raiseFence(world.driver().context.services.settings.DATABASE_URL);

it('a driver that was fenced off claims nothing, and the next one takes over', async () => {
  const [first = ''] = await world.acceptMints(1);
  const old = world.driver();
  await old.finish();
  await world.expectMintedOnce([first]);
  await raise();
  const [second = ''] = await world.acceptMints(1);
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  expect(await world.transaction(second)).toMatchObject({ state: 'waiting', tries: 0, nonce: null });
  await world.driver().finish();
  await world.expectMintedOnce([second]);
});

it('a driver that is fenced off while it signs stores and sends nothing', async () => {
  const ids = await world.acceptMints(3);
  let sent = 0;
  const old = world.driver(async ({ body }, next) => {
    if (body.includes('eth_sendRawTransaction')) sent += 1;
    if (body.includes('/* store-attempts */')) await raise();
    return await next();
  });
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  expect(sent).toBe(0);
  for (const id of ids) expect(await world.attempts(id)).toEqual([]);
  await world.makeDue();
  await world.driver().finish();
  await world.expectMintedOnce(ids);
  for (const id of ids) expect(await world.attempts(id)).toHaveLength(1);
});

it('a driver that is fenced off replaces nothing', async () => {
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  const old = world.driver();
  await old.until(async () => (await world.order(id))['status'] === 'SENT');
  const [attempt] = await world.attempts(id);
  await raise();
  const baseFeePerGas = BigInt(String(attempt?.['max_fee_per_gas'])) * 2n;
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
  await world.chain.mine({ blocks: 2 });
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  expect(await world.attempts(id)).toHaveLength(1);
  await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas: 1n });
  await world.chain.setAutomine(true);
  await world.chain.mine({ blocks: 1 });
  await world.driver().finish();
  await world.expectMintedOnce([id]);
});
