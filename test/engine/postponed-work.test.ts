import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LaneContext } from '../../src/engine/lane-context.ts';
import type { AnyOrderKind } from '../../src/engine/order-kind.ts';
import { startWorld } from './lane-world.ts';
import type { World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

it('what can wait until a lane is idle runs once for each end, after all that the lane has to send and to settle', async () => {
  const { context } = world.driver();
  const mint = context.kinds.get('mint');
  if (mint === undefined) throw new Error('Mints are a kind');
  const seen: { readonly ended: readonly string[]; readonly unfinished: number }[] = [];
  const watched: AnyOrderKind = {
    ...mint,
    whenIdle: async (_, outcomes) => {
      const { rows } = await world.pool.query("select 1 from transactions where state in ('waiting', 'signed')");
      seen.push({ ended: outcomes.map(({ claim }) => claim.orderId), unfinished: rows.length });
    },
  };
  const ids = await world.acceptMints(250);
  const given: LaneContext = { ...context, kinds: new Map([...context.kinds, ['mint', watched]]) };
  const driver = world.driver(undefined, 25_000, given);
  await driver.finish();
  await world.expectMintedOnce(ids);
  expect(seen.map(({ unfinished }) => unfinished)).toEqual(seen.map(() => 0));
  expect(seen.flatMap(({ ended }) => ended).toSorted()).toEqual(ids.toSorted());
});
