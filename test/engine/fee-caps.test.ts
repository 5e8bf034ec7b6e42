import { parseGwei } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cancelOrder } from '../../src/orders/cancel-order.ts';
import { mintKind } from '../../src/orders/mint/mint-kind.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import type { TenantServices } from '../../src/services.ts';
import { startWorld, type Driver, type Hook, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** Nodes suggest nine tenths of the tip that the chain's cap allows. */
const suggestingHighTips: Hook = async ({ body }, next) => {
  const reply = await next();
  const calls = [JSON.parse(body)].flat() as { readonly id: number; readonly method: string }[];
  const ids = new Set(calls.filter(({ method }) => method === 'eth_maxPriorityFeePerGas').map(({ id }) => id));
  if (ids.size === 0) return reply;
  const tip = (world.driver().context.chain.feeCap.maxPriorityFeePerGas * 9n) / 10n;
  const answers = [await reply.json()].flat() as { readonly id: number }[];
  const changed = answers.map((one) => (ids.has(one.id) ? { ...one, result: `0x${tip.toString(16)}` } : one));
  return Response.json(body.startsWith('[') ? changed : changed[0]);
};

const isCapped = ({ memory }: Driver) => memory.condition.state === 'fee-capped';

/**
 * Makes blocks whose base fee is above what the newest attempt of an order offers, until another one is stored or the
 * lane says why not.
 */
async function priceOut(driver: Driver, id: string): Promise<void> {
  const before = await world.attempts(id);
  const baseFeePerGas = BigInt(String(before.at(-1)?.['max_fee_per_gas'])) + parseGwei('1');
  await driver.until(async () => {
    const isOver = isCapped(driver) || (await world.attempts(id)).length > before.length;
    if (isOver) return true;
    await world.chain.setNextBlockBaseFeePerGas({ baseFeePerGas });
    await world.chain.mine({ blocks: 1 });
    return false;
  });
}

it('an order signed while tips are nearly at their cap can be replaced, and then still be cancelled', async () => {
  await world.chain.setAutomine(false);
  const [id = ''] = await world.acceptMints(1);
  const driver = world.driver(suggestingHighTips);
  await driver.until(async () => (await world.order(id))['status'] === 'SENT');
  for (let raises = 0; raises < 10 && !isCapped(driver); raises += 1) await priceOut(driver, id);
  expect((await world.attempts(id)).map(({ purpose }) => purpose)).toEqual(['effect', 'effect', 'effect', 'effect']);
  // What is left below the cap is for a cancellation.
  const { maxPriorityFeePerGas } = driver.context.chain.feeCap;
  expect(driver.memory.condition.reason).toContain(`more maxPriorityFeePerGas than the cap of ${maxPriorityFeePerGas}`);

  const { services } = driver;
  const actor = { type: 'operator' };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the cancellation of a mint uses
  const tenant = { ...services, actor, db: tenantOf(services.db, world.accountId) } as unknown as TenantServices;
  await cancelOrder(tenant, [mintKind], id);
  await world.chain.setAutomine(true);
  await driver.finish();
  expect(await world.order(id)).toMatchObject({ status: 'CANCELLED' });
  expect((await world.attempts(id)).at(-1)).toMatchObject({ purpose: 'cancel' });
});
