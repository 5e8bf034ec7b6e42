import { afterAll, beforeAll, expect, it } from 'vitest';
import { TransactionNotFoundError, type Hex } from 'viem';
import { allowErrors } from '../record/service-errors.ts';
import { startWorld, type World } from './lane-world.ts';

allowErrors('block.reorganized');

const FINALITY = 120;
const WINDOW = 4;

let world: World;
beforeAll(async () => {
  world = await startWorld({ FINALITY_43114: String(FINALITY), IN_FLIGHT_WINDOW: String(WINDOW) });
});
afterAll(() => world.stop());

const count = async (where: string) =>
  Number((await world.pool.query(`select count(*) from orders where ${where}`)).rows[0].count);

it.each([
  ['leave room in the window', 2],
  ['fill the window and wait behind it', 2 * WINDOW],
])(
  'bytes that are gone with the block of a confirmed order are sent again, long before finality, while later orders %s',
  async (_, orders) => {
    await world.chain.setAutomine(true);
    const [first = ''] = await world.acceptMints(1);
    const snapshot = await world.chain.snapshot();
    const driver = world.driver();
    await driver.until(async () => (await world.order(first))['status'] === 'CONFIRMED');
    await world.chain.revert({ id: snapshot });
    await world.chain.mine({ blocks: 3 });
    const [attempt] = await world.attempts(first);
    const hash = String(attempt?.['hash']) as Hex;
    await expect(world.chain.getTransaction({ hash })).rejects.toThrow(TransactionNotFoundError);

    await world.chain.setAutomine(false);
    const ids = await world.acceptMints(orders);
    driver.wakes.raise();
    await driver.until(async () => (await count("state = 'signed'")) >= Math.min(WINDOW, orders));
    await world.chain.setAutomine(true);
    let blocks = 0;
    await driver.until(async () => {
      driver.clock.ahead += 2_000;
      await world.chain.mine({ blocks: 2 });
      blocks += 2;
      return (await count("state in ('waiting', 'signed')")) === 0;
    });
    expect(blocks).toBeLessThan(FINALITY / 2);
    await world.expectMintedOnce([first, ...ids]);
  },
);
