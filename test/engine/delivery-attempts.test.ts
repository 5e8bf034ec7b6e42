import { scheduler } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import {
  dueDeliveries,
  endAttempt,
  nextAttempts,
  sortDeliveries,
  startAttempt,
} from '../../src/webhooks/attempts.store.ts';
import { deliver } from '../../src/webhooks/deliver.ts';
import { replayDelivery } from '../../src/webhooks/deliveries.store.ts';
import { startWorld } from './lane-world.ts';
import type { Hook, World } from './lane-world.ts';

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

it('the outcome of an attempt from before a replay does not end the replay', async () => {
  const { db } = world.driver().context.services;
  const id = await insertDelivery();
  await world.pool.query('update webhook_deliveries set attempt_limit = 1 where id = $1', [id]);
  const [delivery] = await sortDeliveries(db, [id], at(0));
  const attempt = delivery && (await startAttempt(db, delivery, LEASE_MS, at(0)));
  if (attempt === undefined) throw new Error('The attempt has not started');
  // Its lease ends, it counts as interrupted, and the delivery has failed.
  expect(await sortDeliveries(db, [id], at(LEASE_MS))).toEqual([]);
  const tenant = tenantOf(db, world.accountId);
  expect(await replayDelivery(tenant, id, newId(), new Date())).toMatchObject({ isReplayed: true });
  const outcome = { status: 'FAILED', result: { statusCode: 404, final: true }, retryAfterSeconds: 0 } as const;
  await endAttempt(db, attempt, outcome, new Date());
  const { rows } = await world.pool.query(
    `select d.status, d.attempts, l.response_status_code as code from webhook_deliveries d
       join webhook_logs l on l.webhook_delivery_id = d.id where d.id = $1`,
    [id],
  );
  expect(rows).toEqual([{ status: 'PENDING', attempts: 1, code: 404 }]);
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

const checkTarget = () => Promise.resolve({ error: 'The target is not allowed', final: true });

it('twenty callers for one endpoint share its deliveries, with few statements in vain', async () => {
  // The runtime's global.
  vi.stubGlobal('scheduler', scheduler);
  let begun = 0;
  const { services } = world.driver().context;
  const count: Hook = (request, next) => {
    begun += request.body.split('begin-attempt').length - 1;
    return next();
  };
  const endpointId = await insertDelivery();
  for (let others = 1; others < 60; others += 1) await insertDelivery(1, endpointId);

  const left = async () => {
    const { rows } = await world.pool.query(
      `select count(*)::int as count from webhook_deliveries where webhook_endpoint_id = $1 and status = 'PENDING'`,
      [endpointId],
    );
    return Number(rows[0]?.count);
  };
  while ((await left()) > 0) {
    await world.within(count, () =>
      Promise.all(Array.from({ length: 20 }, () => deliver({ ...services, checkTarget }, [endpointId]))),
    );
  }
  // Each caller may meet the others a few times before it leaves the endpoint to them.
  expect(begun).toBeLessThan(60 * 7);
});
