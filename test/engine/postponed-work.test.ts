import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LaneContext } from '../../src/engine/lane-context.ts';
import { linkedDocuments } from '../../src/catalog/metadata/metadata.store.ts';
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
  const seen: { readonly linked: readonly string[]; readonly unfinished: number }[] = [];
  const watched: AnyOrderKind = {
    ...mint,
    whenIdle: async (_, [linked]) => {
      // What a slow node did not estimate in time is due later, and the lane is idle until then.
      const due = "state = 'signed' or (state = 'waiting' and next_try_at <= now())";
      const { rows } = await world.pool.query(`select 1 from transactions where ${due}`);
      seen.push({ linked: linkedDocuments(linked).map(({ id }) => id), unfinished: rows.length });
    },
  };
  const ids = await world.acceptMints(250);
  const given: LaneContext = { ...context, kinds: new Map([...context.kinds, ['mint', watched]]) };
  const driver = world.driver(undefined, 25_000, given);
  await driver.finish();
  await world.expectMintedOnce(ids);
  expect(seen.map(({ unfinished }) => unfinished)).toEqual(seen.map(() => 0));
  const orders = await Promise.all(ids.map((id) => world.order(id)));
  const documents = orders.map(({ metadata_id: id }) => String(id));
  expect(seen.flatMap(({ linked }) => linked).toSorted()).toEqual(documents.toSorted());
});

it('what can wait until a lane is idle lets an order that arrives meanwhile go first', async () => {
  const { context } = world.driver();
  const mint = context.kinds.get('mint');
  if (mint === undefined) throw new Error('Mints are a kind');
  const late: string[] = [];
  const statuses: unknown[] = [];
  const watched: AnyOrderKind = {
    ...mint,
    whenIdle: async () => {
      const [id] = late;
      if (id !== undefined) {
        statuses.push((await world.order(id))['status']);
        return;
      }
      late.push(...(await world.acceptMints(1)));
      driver.wakes.raise();
    },
  };
  const given: LaneContext = { ...context, kinds: new Map([...context.kinds, ['mint', watched]]) };
  const driver = world.driver(undefined, 5_000, given);
  // Work that is left from before.
  for (let left = 0; left < 2; left += 1) {
    driver.memory.postponed.add({ ends: 1, run: async () => await watched.whenIdle?.(context.services, []) });
  }
  await driver.run();
  await driver.finish();
  await driver.run();
  await world.expectMintedOnce(late);
  expect(new Set(statuses)).toEqual(new Set(['CONFIRMED']));
});

it('what can wait until a lane is idle also waits while the lane must be read again', async () => {
  const [id = ''] = await world.acceptMints(1);
  let isLost = false;
  const driver = world.driver(async ({ body }, next) => {
    const reply = await next();
    if (isLost || !body.includes('/* store-attempts */')) return reply;
    isLost = true;
    throw new TypeError('fetch failed');
  }, 5_000);
  const statuses: unknown[] = [];
  driver.memory.postponed.add({
    ends: 1,
    run: async () => void statuses.push((await world.order(id))['status']),
  });
  await driver.finish();
  await driver.run();
  expect(isLost).toBe(true);
  expect(statuses).toEqual(['CONFIRMED']);
});
