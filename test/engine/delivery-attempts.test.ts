import { scheduler } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newId } from '../../src/core/record-id.ts';
import { tenantOf } from '../../src/platform/database/client.ts';
import {
  dueDeliveries,
  endAttempt,
  nextAttempts,
  returnAttempt,
  sortDeliveries,
  startAttempt,
} from '../../src/webhooks/attempts.store.ts';
import { deliver } from '../../src/webhooks/deliver.ts';
import { overdueEndpoints } from '../../src/webhooks/events.store.ts';
import { replayDelivery } from '../../src/webhooks/deliveries.store.ts';
import { startWorld, type Hook, type World } from './lane-world.ts';

const LEASE_MS = 20_000;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

/** What applies so many milliseconds from now. */
const at = (ms: number) => ({ now: new Date(Date.now() + ms), defaultTarget: undefined });

interface DeliveryFields {
  readonly accountId?: string;
  readonly url?: string;
}

async function insertDelivery(
  minutesOverdue = 1,
  endpointId?: string,
  { accountId = world.accountId, url = 'https://hooks.example' }: DeliveryFields = {},
): Promise<string> {
  const id = newId();
  await world.pool.query(
    `with endpoint as (
       insert into webhook_endpoints (id, corporate_account_id, managed_by, url, secret_id, secret)
       values ($3, $2, 'account', $5, $3, 'whsec_x') on conflict do nothing
     ), event as (
       insert into webhook_events (id, corporate_account_id, type, payload) values ($1, $2, 'mint.confirmed', '{}')
     )
     insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type,
       attempt_limit, next_attempt_at)
     values ($1, $1, $3, $2, 'mint.confirmed', 5, now() - make_interval(mins => $4))`,
    [id, accountId, endpointId ?? id, minutesOverdue, url],
  );
  return id;
}

async function insertAccount(): Promise<string> {
  const id = newId();
  await world.pool.query(
    `insert into corporate_accounts (id, corporate_id, corporate_name, secret_manager_key_id, wallet_address)
     values ($1, $1, 'A', 's', $1)`,
    [id],
  );
  return id;
}

const stateOf = async (id: string) => {
  const { rows } = await world.pool.query(
    `select d.status, d.attempts, d.next_attempt_at <= now() as due, count(l.id)::int as logs
     from webhook_deliveries d left join webhook_logs l on l.webhook_delivery_id = d.id where d.id = $1 group by d.id`,
    [id],
  );
  return rows[0] as unknown;
};

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
  await world.pool.query('update webhook_deliveries set attempts = 4 where id = $1', [id]);
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
       join webhook_logs l on l.webhook_delivery_id = d.id and l.attempt = d.attempts where d.id = $1`,
    [id],
  );
  expect(rows).toEqual([{ status: 'PENDING', attempts: 5, code: 404 }]);
});

it("an attempt that is returned was not made, and can no longer be returned once it is another caller's", async () => {
  const { db } = world.driver().context.services;
  const id = await insertDelivery();
  const start = async (ms: number) => {
    const [delivery] = await sortDeliveries(db, [id], at(ms));
    const attempt = delivery && (await startAttempt(db, delivery, LEASE_MS, at(ms)));
    if (attempt === undefined) throw new Error('The attempt has not started');
    return attempt;
  };
  const attempt = await start(0);
  await returnAttempt(db, attempt, new Date());
  expect(await stateOf(id)).toEqual({ status: 'PENDING', attempts: 0, due: true, logs: 0 });

  const first = await start(0);
  expect(first.number).toBe(1);
  expect((await start(LEASE_MS)).number).toBe(2);
  await returnAttempt(db, first, new Date());
  expect(await stateOf(id)).toEqual({ status: 'PENDING', attempts: 2, due: false, logs: 1 });
});

it('an attempt that another caller has logged as interrupted is not returned', async () => {
  const { db } = world.driver().context.services;
  const id = await insertDelivery();
  const [delivery] = await sortDeliveries(db, [id], at(0));
  const attempt = delivery && (await startAttempt(db, delivery, LEASE_MS, at(0)));
  if (attempt === undefined) throw new Error('The attempt has not started');
  await sortDeliveries(db, [id], at(LEASE_MS));
  await returnAttempt(db, attempt, at(LEASE_MS).now);
  expect(await stateOf(id)).toMatchObject({ attempts: 1, logs: 1 });
});

it('each endpoint has its turn: those of its deliveries that have been due longest, and the time of the next one', async () => {
  const { db } = world.driver().context.services;
  const rules = at(0);
  const busy = await insertDelivery(1);
  const [second, first] = [await insertDelivery(2, busy), await insertDelivery(3, busy)];
  const other = await insertDelivery(1);
  const early = await insertDelivery(-60);
  const ended = await insertDelivery(1);
  await world.pool.query("update webhook_deliveries set status = 'SUCCESS' where id = $1", [ended]);

  const endpointIds = [busy, other, early, ended];
  const taken = await dueDeliveries(db, endpointIds, 2, rules);
  const { accountId } = world;
  const dueOf = (id: string, endpointId: string) => {
    return { id, endpointId, first: { id, endpointId, accountId, target: 'https://hooks.example', attempts: 0 } };
  };
  expect(taken).toEqual([dueOf(first, busy), dueOf(second, busy), dueOf(other, other)]);
  const next = await nextAttempts(db, endpointIds);
  expect([...next.keys()]).toEqual([busy, other, early]);
  expect(Array.from(next.values(), (time) => Math.sign(time.getTime() - rules.now.getTime()))).toEqual([-1, -1, 1]);
});

it('an endpoint with many overdue deliveries hides no other one, and those that wait longest come first', async () => {
  const { db } = world.driver().context.services;
  const busy = await insertDelivery(60 * 24);
  for (const minutes of [61, 62]) await insertDelivery(60 * 24 + minutes, busy);
  const other = await insertDelivery(60 * 23, undefined, { accountId: await insertAccount() });
  expect(await overdueEndpoints(db, at(-60 * 60_000).now, 2)).toEqual([busy, other]);
  expect(await overdueEndpoints(db, at(-60 * 60_000).now, 1)).toEqual([busy]);
  const before = new Date(Date.now() - 23.5 * 60 * 60_000);
  expect(await overdueEndpoints(db, before, 2)).toEqual([busy]);
  await world.pool.query("update webhook_deliveries set status = 'FAILED' where webhook_endpoint_id = $1", [busy]);
  await world.pool.query("update webhook_deliveries set status = 'FAILED' where id = $1", [other]);
});

it('a replay adds no log row for attempts whose rows were removed', async () => {
  const { db } = world.driver().context.services;
  const id = await insertDelivery();
  await world.pool.query("update webhook_deliveries set status = 'FAILED', attempts = 5 where id = $1", [id]);
  await replayDelivery(tenantOf(db, world.accountId), id, newId(), new Date());
  const sort = async (ms: number) => await sortDeliveries(db, [id], at(ms));
  const [delivery] = await sort(0);
  expect(await stateOf(id)).toMatchObject({ attempts: 5, logs: 0 });
  // One that is interrupted after the replay has its row.
  expect(delivery && (await startAttempt(db, delivery, LEASE_MS, at(0)))).toMatchObject({ number: 6 });
  await sort(LEASE_MS);
  expect(await stateOf(id)).toMatchObject({ attempts: 6, logs: 1 });
});

/** The runtime's global. */
beforeAll(() => void vi.stubGlobal('scheduler', scheduler));
afterAll(() => vi.unstubAllGlobals());

it("targets that do not answer have all requests: the others' attempts are returned, and made by the next caller", async () => {
  const { services } = world.driver();
  const silent = new Set<string>();
  for (let index = 0; index < 5; index += 1) {
    const fields = { accountId: await insertAccount(), url: `https://silent-${index}.example` };
    silent.add(await insertDelivery(1, undefined, fields));
  }
  const other = await insertDelivery(1, undefined, { accountId: await insertAccount() });

  const answers = Promise.withResolvers<void>();
  const allSent = Promise.withResolvers<void>();
  let sent = 0;
  const checkTarget = async (target: string) => {
    sent += 1;
    if (sent === silent.size) allSent.resolve();
    if (target.includes('silent')) await answers.promise;
    return { error: 'The target is not allowed', final: true };
  };
  let returned = 0;
  const watch: Hook = async (request, next) => {
    if (request.body.includes('begin-attempt') && request.body.includes(other)) await allSent.promise;
    if (request.body.includes('return-attempt')) returned += 1;
    return next();
  };
  const round = () => world.within(watch, () => deliver({ ...services, checkTarget }, [...silent, other]));
  const delays = await round();
  expect(sent).toBe(silent.size);
  expect(returned).toBe(1);
  expect(await stateOf(other)).toEqual({ status: 'PENDING', attempts: 0, due: true, logs: 0 });
  expect(delays.get(other)).toBeLessThanOrEqual(1);

  await round();
  expect(await stateOf(other)).toMatchObject({ status: 'FAILED', attempts: 1, logs: 1 });
  answers.resolve();
  for (const id of silent)
    await expect.poll(() => stateOf(id)).toMatchObject({ status: 'FAILED', attempts: 1, logs: 1 });
});

const checkTarget = () => Promise.resolve({ error: 'The target is not allowed', final: true });

it('twenty callers for one endpoint share its deliveries, with few statements in vain', async () => {
  let begun = 0;
  const { services } = world.driver();
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
  // Each caller may meet the others a few times before it leaves the endpoint to them; if none left it, there would be
  // twenty for each delivery.
  expect(begun).toBeLessThan(60 * 12);
});
