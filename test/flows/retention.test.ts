import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/core/ids.ts';
import { cleanUpAfter, newClient, stack } from '../fixtures/client.ts';
import type { Client } from '../fixtures/client.ts';

const DAY = 24 * 3_600_000;
const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
let client: Client;

beforeAll(async () => {
  client = await newClient();
  await database.connect();
});
afterAll(() => database.end());

/** Stores an event of a day in the past, and a delivery attempt of another day. */
async function stored(event: { days: number; status: string }, log: { days: number }) {
  const [eventId, logId] = [newId(Date.now() - event.days * DAY), newId(Date.now() - log.days * DAY)];
  const account = client.account._id;
  await database.query(
    `insert into webhook_events (id, corporate_account_id, type, related_order_id, payload, status, next_attempt_at)
     values ($1, $2, 'mint.confirmed', $1, '{"to":"0x1"}', $3, now() + interval '1 day')`,
    [eventId, account, event.status],
  );
  await database.query(
    `insert into webhook_logs (id, webhook_event_id, corporate_account_id, event_type, target_url, related_order_id, payload_sent,
       status, attempt) values ($1, $2, $3, 'mint.confirmed', 'https://example.com', $2, '{"to":"0x1"}', 'SUCCESS', 1)`,
    [logId, eventId, account],
  );
  return { eventId, logId };
}

/** What is left of them: the event's payload and the log's body. */
async function left({ eventId, logId }: { eventId: string; logId: string }) {
  const events = await database.query('select payload from webhook_events where id = $1', [eventId]);
  const logs = await database.query('select payload_sent from webhook_logs where id = $1', [logId]);
  return [events.rows[0]?.payload, logs.rows[0]?.payload_sent];
}

it('the cleanup job empties old bodies, then deletes old logs and ended events, and nothing else', async () => {
  const body = '{"to":"0x1"}';
  const cases = {
    recent: await stored({ days: 29, status: 'SUCCESS' }, { days: 29 }),
    oldBody: await stored({ days: 31, status: 'FAILED' }, { days: 31 }),
    // The event is younger than its row in the log, so that only the row is due.
    oldLog: await stored({ days: 89, status: 'SKIPPED' }, { days: 91 }),
    // The log row is younger: it goes with its event.
    oldEvent: await stored({ days: 91, status: 'SUCCESS' }, { days: 1 }),
    unfinished: await stored({ days: 91, status: 'RETRYING' }, { days: 1 }),
  };
  await cleanUpAfter(0);
  expect(await left(cases.recent)).toEqual([body, body]);
  expect(await left(cases.oldBody)).toEqual([body, '']);
  expect(await left(cases.oldLog)).toEqual([body, undefined]);
  expect(await left(cases.oldEvent)).toEqual([undefined, undefined]);
  expect(await left(cases.unfinished)).toEqual([body, body]);
});

it('replies to requests with an Idempotency-Key are deleted after a day, and not before', async () => {
  const insert = (key: string, hours: number) =>
    database.query(
      `insert into idempotency_keys (corporate_account_id, key, request_hash, claim_id, lease_until, status_code, body, created_at)
       values ($1, $2, 'hash', $3, now(), 201, '{}', $4)`,
      [client.account._id, key, newId(), new Date(Date.now() - hours * 3_600_000)],
    );
  await insert('old', 25);
  await insert('young', 23);
  await cleanUpAfter(0);
  const { rows } = await database.query('select key from idempotency_keys where corporate_account_id = $1', [
    client.account._id,
  ]);
  expect(rows).toEqual([{ key: 'young' }]);
});
