import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { dueDeliveries, nextAttempts, sortDeliveries, startAttempt } from '../../src/webhooks/attempts.store.ts';
import { startWorld } from './lane-world.ts';
import type { World } from './lane-world.ts';

const LEASE_MS = 20_000;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** What applies so many milliseconds from now. */
const at = (ms: number) => ({ now: new Date(Date.now() + ms), defaultTarget: undefined });

async function insertDelivery(minutesOverdue = 1, endpointId?: string): Promise<string> {
  const id = newId();
  await world.pool.query(
    `with endpoint as (
       insert into webhook_endpoints (id, corporate_account_id, managed_by, url, secret_id, secret)
       values ($3, $2, 'account', 'https://hooks.example', $3, 'whsec_x') on conflict do nothing
     ), event as (
       insert into webhook_events (id, corporate_account_id, type, payload) values ($1, $2, 'mint.confirmed', '{}')
     )
     insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type,
       attempt_limit, next_attempt_at)
     values ($1, $1, $3, $2, 'mint.confirmed', 5, now() - make_interval(mins => $4))`,
    [id, world.accountId, endpointId ?? id, minutesOverdue],
  );
  return id;
}

it('an attempt that was interrupted has its log row before the next one, whenever it was counted', async () => {
  const { db } = world.driver().context.services;
  const id = await insertDelivery();
  const sort = async (ms: number) => await sortDeliveries(db, [id], at(ms));
  const logged = async () =>
    (await world.pool.query('select attempt from webhook_logs where webhook_delivery_id = $1', [id])).rows;

  const [delivery] = await sort(0);
  if (delivery === undefined) throw new Error('The delivery is not due');
  // Another caller counts an attempt after this caller has read the delivery, and dies.
  expect(await startAttempt(db, delivery, LEASE_MS, at(0))).toMatchObject({ number: 1 });
  expect(await startAttempt(db, delivery, LEASE_MS, at(LEASE_MS))).toBeUndefined();
  const [again] = await sort(LEASE_MS);
  expect(await logged()).toEqual([{ attempt: 1 }]);
  expect(again && (await startAttempt(db, again, LEASE_MS, at(LEASE_MS)))).toMatchObject({ number: 2 });
});

it('each endpoint has its turn: those of its deliveries that have been due longest, and the time of the next one', async () => {
  const { db } = world.driver().context.services;
  const { now } = at(0);
  const busy = await insertDelivery(1);
  const [second, first] = [await insertDelivery(2, busy), await insertDelivery(3, busy)];
  const other = await insertDelivery(1);
  const early = await insertDelivery(-60);
  const ended = await insertDelivery(1);
  await world.pool.query("update webhook_deliveries set status = 'SUCCESS' where id = $1", [ended]);

  const endpointIds = [busy, other, early, ended];
  const taken = await dueDeliveries(db, endpointIds, 2, now);
  expect(taken).toEqual([
    { id: first, endpointId: busy },
    { id: second, endpointId: busy },
    { id: other, endpointId: other },
  ]);
  const next = await nextAttempts(db, endpointIds);
  expect([...next.keys()]).toEqual([busy, other, early]);
  expect(Array.from(next.values(), (time) => Math.sign(time.getTime() - now.getTime()))).toEqual([-1, -1, 1]);
});
