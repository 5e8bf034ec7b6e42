import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { grantWorkerRole } from '../../operations/grant-worker-role.ts';
import { raiseFence } from '../../operations/raise-fence.ts';
import { isFencedOff } from '../../src/engine/store/fence.ts';
import { startWorld } from './lane-world.ts';
import type { World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
beforeEach(() => world.chain.setAutomine(true));

const databaseUrl = () => world.driver().context.services.settings.DATABASE_URL;
const raise = () => raiseFence(databaseUrl());

/** Locks an order's transaction, so that what changes it has to wait. @returns what unlocks it. */
async function lock(id: string): Promise<() => Promise<void>> {
  const client = await world.pool.connect();
  await client.query('begin');
  await client.query('select 1 from transactions where order_id = $1 for update', [id]);
  return async () => {
    await client.query('commit');
    client.release();
  };
}

/** Resolves when a statement of another connection waits for a lock of this type. */
async function untilWaiting(type: 'advisory' | 'transactionid'): Promise<void> {
  await expect
    .poll(async () => {
      const { rows } = await world.pool.query('select 1 from pg_locks where locktype = $1 and not granted', [type]);
      return rows.length;
    })
    .toBeGreaterThan(0);
}

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

it('raising the fence waits for a store under way, after which nothing is stored', async () => {
  const [id = ''] = await world.acceptMints(1);
  let storedAtRaise: number | undefined;
  const old = world.driver(async ({ body }, next) => {
    if (!body.includes('/* store-attempts */') || storedAtRaise !== undefined) return await next();
    const unlock = await lock(id);
    const storing = next();
    await untilWaiting('transactionid');
    const raising = raise();
    await Promise.race([untilWaiting('advisory'), raising]);
    const isStored = (await world.attempts(id)).length;
    storedAtRaise = isStored;
    await Promise.race([raising, new Promise((resolve) => setTimeout(resolve, 200))]);
    await unlock();
    await raising;
    storedAtRaise = (await world.attempts(id)).length;
    return await storing;
  });
  await expect(old.finish()).rejects.toSatisfy(isFencedOff);
  expect(storedAtRaise).toBe(1);
  expect(await world.attempts(id)).toHaveLength(1);
  await world.driver().finish();
  await world.expectMintedOnce([id]);
});
