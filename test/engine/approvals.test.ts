import { afterAll, beforeAll, expect, it } from 'vitest';
import { decideSwitchOff, readSetting, requestSwitchOff, storeSetting } from '../../src/approvals/approvals.store.ts';
import { newId } from '../../src/core/record-id.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import { startWorld, type World } from './lane-world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** As if a second person had to approve an order within some minutes, and its time had come to be claimed. */
const awaitApproval = (id: string, minutes: number) =>
  world.pool.query(
    "update orders set approval_until = now() + interval '1 minute' * $2, next_try_at = now() where order_id = $1",
    [id, minutes],
  );

it('an order that waits for approval is not signed, even if a driver claims it before its time, and others are', async () => {
  const [awaited = '', other = ''] = await world.acceptMints(2);
  await awaitApproval(awaited, 60);
  const driver = world.driver();
  await driver.until(async () => (await world.order(other))['status'] === 'CONFIRMED');
  expect(await world.attempts(awaited)).toEqual([]);
  const { state, next_try_at: nextTryAt, approval_until: until } = await world.order(awaited);
  expect([state, nextTryAt]).toEqual(['waiting', until]);
  expect(await world.order(awaited)).toMatchObject({ hold_detail: 'Its receiver must claim it' });

  await world.pool.query('update orders set approval_until = null, version = version + 1 where order_id = $1', [
    awaited,
  ]);
  await world.makeDue();
  await driver.finish();
  await world.expectMintedOnce([awaited, other]);
});

it('an order that nobody let go ahead in time ends in the words of its kind, and was never signed', async () => {
  const [id = ''] = await world.acceptMints(1);
  await awaitApproval(id, 0);
  await world.driver().finish();
  expect(await world.order(id)).toMatchObject({
    status: 'CANCELLED',
    error_message: expect.stringContaining('Not claimed by'),
  });
  expect(await world.attempts(id)).toEqual([]);
});

it('an approval while a driver is about to end the order wins, and the order is executed once', async () => {
  const [id = ''] = await world.acceptMints(1);
  await awaitApproval(id, 0);
  let isApproved = false;
  const driver = world.driver(async ({ body }, next) => {
    if (body.includes('/* end-transactions */') && !isApproved) {
      isApproved = true;
      await world.pool.query(
        'update orders set approval_until = null, version = version + 1, next_try_at = now() where order_id = $1',
        [id],
      );
    }
    return await next();
  });
  await driver.until(async () => (await world.order(id))['status'] === 'CONFIRMED');
  expect(isApproved).toBe(true);
  await world.expectMintedOnce([id]);
});

const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000);

it.each([60, 0])(
  'approvals that are required again stay so, though an earlier decision to switch them off arrives later (of a request open for %i more seconds)',
  async (seconds) => {
    const db = tenantOf(world.driver().context.services.db, world.accountId);
    const [createdAt, decidedAt, now] = [secondsAgo(2), secondsAgo(1), secondsAgo(0)];
    await storeSetting(db, true, createdAt);
    const request = { id: newId(), requestedBy: null, createdAt, expiresAt: new Date(now.getTime() + seconds * 1_000) };
    const { id } = await requestSwitchOff(db, request);
    expect(id).toBe(request.id);

    await storeSetting(db, true, now);
    const decision = { decision: 'approved', decidedBy: null, decidedAt } as const;
    expect(await decideSwitchOff(db, request.id, decision)).toBe(false);
    expect(await readSetting(db)).toBe(true);
  },
);
