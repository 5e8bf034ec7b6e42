import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { sortDeliveries, startAttempt } from '../../src/webhooks/attempts.store.ts';
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

async function insertDelivery(): Promise<string> {
  const id = newId();
  await world.pool.query(
    `with endpoint as (
       insert into webhook_endpoints (id, corporate_account_id, managed_by, url, secret_id, secret)
       values ($1, $2, 'account', 'https://hooks.example', $1, 'whsec_x')
     ), event as (
       insert into webhook_events (id, corporate_account_id, type, payload) values ($1, $2, 'mint.confirmed', '{}')
     )
     insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type,
       attempt_limit, next_attempt_at)
     values ($1, $1, $1, $2, 'mint.confirmed', 5, now() - interval '1 minute')`,
    [id, world.accountId],
  );
  return id;
}

it('an attempt that was interrupted has its log row before the next one, whenever it was counted', async () => {
  const { db } = world.driver().context.services;
  const id = await insertDelivery();
  const sort = async (ms: number) => (await sortDeliveries(db, [id], at(ms))).due;
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
