import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { call, cleanUpAfter, deployContract, newClient, orderMints, stack, type Client } from '../fixtures/client.ts';
import { forgetReply, replyStored } from '../fixtures/forget-reply.ts';
import { startWebhookReceiver, type Delivery, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const TARGET = 'http://127.0.0.1:9/hooks';

let database: Postgres;
let receivers: WebhookReceiver[] = [];

beforeAll(async () => {
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(() => database.end());
afterEach(async () => {
  await Promise.all(receivers.map((receiver) => receiver.close()));
  receivers = [];
});

async function receive(...parameters: Parameters<typeof startWebhookReceiver>): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(...parameters);
  receivers.push(receiver);
  return receiver;
}

async function newEndpoint(client: Client, fields: Record<string, unknown> = {}) {
  const { status, body } = await client.post('/webhooks/endpoints', { url: TARGET, ...fields });
  expect(status).toBe(201);
  return body as { readonly id: string; readonly secret: string } & Record<string, unknown>;
}

/** Sends a test event and waits for the end of its delivery. */
async function testOf(client: Client, endpointId: string) {
  const { status, body } = await client.post(`/webhooks/endpoints/${endpointId}/test`, '');
  expect([status, body.status]).toEqual([201, expect.stringMatching(/PENDING|RETRYING|SUCCESS|FAILED/)]);
  return await client.until(`/webhooks/deliveries/${body.id}`, ['SUCCESS', 'FAILED', 'SKIPPED']);
}

function verified({ body, headers }: Delivery, secret: string): boolean {
  const own = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(headers[name])]),
  );
  try {
    new Webhook(secret).verify(body, own);
    return true;
  } catch {
    return false;
  }
}

const key = () => ({ 'idempotency-key': crypto.randomUUID() });

const typesOf = ({ events }: WebhookReceiver) => events.map(({ event }) => event.type).toSorted();
const mintOf = ({ deliveries }: WebhookReceiver) => deliveries.find(({ event }) => event.type === 'mint.confirmed');

/** Every row of every table. */
async function wholeDatabase(): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const contents: unknown[] = [];
  for (const { name: table } of tables) {
    const { rows } = await database.query(`select to_jsonb(t) as row from "${table}" t`);
    contents.push(rows);
  }
  return JSON.stringify(contents);
}

describe('an endpoint', () => {
  it('is created, listed, read, changed and deleted; its secret is in the first reply only', async () => {
    const client = await newClient();
    const { secret, ...created } = await newEndpoint(client, { eventTypes: ['mint.failed'], description: 'Ours' });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      managedBy: 'account',
      url: TARGET,
      description: 'Ours',
      eventTypes: ['mint.failed'],
      status: 'ENABLED',
      chainKind: null,
      previousSecretExpiresAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const path = `/webhooks/endpoints/${created.id}`;
    expect((await client.get(path)).body).toEqual(created);
    const { body: list } = await client.get('/webhooks/endpoints');
    expect(list.items).toEqual([expect.objectContaining({ managedBy: 'operator', url: null }), created]);

    const change = { url: `${TARGET}/new`, eventTypes: null, description: null, status: 'DISABLED' };
    const { status, body: changed } = await client.patch(path, change);
    expect([status, changed]).toEqual([200, { ...created, ...change, updatedAt: expect.any(String) }]);
    expect((await client.patch(path, { status: 'ENABLED' })).body).toMatchObject({ ...change, status: 'ENABLED' });
    const types = ['order.held', 'mint.failed'];
    expect((await client.patch(path, { eventTypes: types })).body).toMatchObject({
      eventTypes: types,
      url: change.url,
    });
    expect((await client.patch(path, {})).status).toBe(400);

    expect(await client.delete(path)).toMatchObject({ status: 204, body: '' });
    for (const reply of [client.get(path), client.patch(path, change), client.delete(path)]) {
      expect((await reply).status).toBe(404);
    }
    expect((await client.get('/webhooks/endpoints')).body.items).toHaveLength(1);
  });

  it.each([
    [{ url: 'ftp://example.com' }, 'url'],
    [{ url: 'https://user:secret@example.com/' }, 'url'],
    [{ url: `https://example.com/${'a'.repeat(2_048)}` }, 'url'],
    [{ url: 'nowhere' }, 'url'],
    [{}, 'url'],
    [{ url: TARGET, eventTypes: [] }, 'eventTypes'],
    [{ url: TARGET, eventTypes: ['mint.failed', 'mint.failed'] }, 'eventTypes'],
    [{ url: TARGET, eventTypes: ['mint.unknown'] }, 'eventTypes.0'],
    [{ url: TARGET, eventTypes: ['webhook.test'] }, 'eventTypes.0'],
    [{ url: TARGET, description: 'x'.repeat(201) }, 'description'],
    [{ url: TARGET, description: '\u0000' }, 'description'],
  ])('is refused with 400: %j', async (fields, path) => {
    const client = await newClient();
    const { status, body } = await client.post('/webhooks/endpoints', fields);
    expect([status, body.errors.map((issue: { path: string }) => issue.path)]).toEqual([400, [path]]);
  });

  it('is one of 16 at most, also when many are created at once', async () => {
    const client = await newClient();
    const replies = await Promise.all(
      Array.from({ length: 24 }, () => client.post('/webhooks/endpoints', { url: TARGET })),
    );
    const counts = Map.groupBy(replies, ({ status }) => status);
    expect([counts.get(201)?.length, counts.get(409)?.length]).toEqual([16, 8]);
    const [first] = counts.get(201) ?? [];
    await client.delete(`/webhooks/endpoints/${first?.body.id}`);
    await newEndpoint(client);
    expect((await client.post('/webhooks/endpoints', { url: TARGET })).status).toBe(409);
  });

  it('is in the reply to a retry of its creation or of its rotation, although it is deleted and 16 others exist', async () => {
    const client = await newClient();
    const [creation, rotation] = [key(), key()];
    const create = () => client.post('/webhooks/endpoints', { url: TARGET }, creation);
    const { id, secret } = (await create()).body;
    const rotate = () => client.post(`/webhooks/endpoints/${id}/rotate-secret`, '', rotation);
    const rotated = await rotate();
    await client.delete(`/webhooks/endpoints/${id}`);
    for (let count = 0; count < 16; count += 1) await newEndpoint(client);
    await replyStored(creation['idempotency-key']);
    expect(await create()).toMatchObject({ status: 201, body: { id, secret } });
    await forgetReply(creation['idempotency-key']);
    await forgetReply(rotation['idempotency-key']);
    expect(await create()).toMatchObject({ status: 201, body: { id, status: 'DISABLED' } });
    expect(await rotate()).toMatchObject({ status: 200, body: { id, secret: rotated.body.secret } });
  });

  it('of the operator is read and tested, and not changed', async () => {
    const receiver = await receive();
    const client = await newClient({ webhookUrl: receiver.url });
    const { body } = await client.get('/webhooks/endpoints');
    expect(body.items).toEqual([
      expect.objectContaining({ managedBy: 'operator', url: receiver.url, eventTypes: null }),
    ]);
    const path = `/webhooks/endpoints/${body.items[0].id}`;
    expect((await client.patch(path, { url: TARGET })).status).toBe(409);
    expect((await client.delete(path)).status).toBe(409);
    expect((await client.post(`${path}/rotate-secret`, '')).status).toBe(409);
    expect((await client.get(path)).body).toEqual(body.items[0]);
    expect(await testOf(client, body.items[0].id)).toMatchObject({ status: 'SUCCESS' });
    const [delivery] = receiver.deliveries;
    expect(delivery && verified(delivery, client.account.webhookSecret)).toBe(true);
  });
});

describe('a secret', () => {
  it('is in the reply to a retry with the same Idempotency-Key, and nowhere in the database', async () => {
    const client = await newClient();
    const name = key();
    const first = await client.post('/webhooks/endpoints', { url: TARGET }, name);
    await replyStored(name['idempotency-key']);
    const again = await client.post('/webhooks/endpoints', { url: TARGET }, name);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');

    const stored = await wholeDatabase();
    expect(stored).toContain(first.body.id);
    expect(stored).not.toContain(first.body.secret.replace('whsec_', ''));

    // A retry after a crash finds the endpoint, and its secret.
    await forgetReply(name['idempotency-key']);
    expect((await client.post('/webhooks/endpoints', { url: TARGET }, name)).body).toEqual(first.body);
    expect((await client.get('/webhooks/endpoints')).body.items).toHaveLength(2);
  });

  it('is rotated with a day in which both sign; a second rotation ends the first secret at once', async () => {
    const receiver = await receive();
    const client = await newClient();
    const { id, secret: first } = await newEndpoint(client, { url: receiver.url });
    const name = key();
    const rotate = () => client.post(`/webhooks/endpoints/${id}/rotate-secret`, '', name);
    const { status, body } = await rotate();
    expect(status).toBe(200);
    expect(body.secret).not.toBe(first);
    const day = new Date(body.previousSecretExpiresAt).getTime() - new Date(body.updatedAt).getTime();
    expect(day).toBe(24 * 3_600_000);
    await forgetReply(name['idempotency-key']);
    expect((await rotate()).body).toEqual(body);

    const signers = async (secrets: readonly string[]) => {
      await testOf(client, id);
      const delivery = receiver.deliveries.at(-1);
      if (delivery === undefined) throw new Error('A delivery was expected');
      return secrets.map((secret) => verified(delivery, secret));
    };
    expect(await signers([first, body.secret])).toEqual([true, true]);
    const { body: last } = await client.post(`/webhooks/endpoints/${id}/rotate-secret`, '');
    expect(await signers([first, body.secret, last.secret])).toEqual([false, true, true]);
    // A retry of the first rotation is no third one.
    await forgetReply(name['idempotency-key']);
    expect((await rotate()).body.secret).toBe(last.secret);

    await database.query(
      "update webhook_endpoints set secret_previous_expires_at = now() - interval '1 second' where id = $1",
      [id],
    );
    expect(await signers([body.secret, last.secret])).toEqual([false, true]);
    await cleanUpAfter(0);
    const previous = async () =>
      (await database.query('select secret_previous from webhook_endpoints where id = $1', [id])).rows[0]
        .secret_previous;
    await expect.poll(previous).toBeNull();
  });
});

describe('an event', () => {
  it('goes to every endpoint that asks for its type, with one id and a signature of each', async () => {
    const [operators, all, mints, failures] = [await receive(), await receive(), await receive(), await receive()];
    const client = await newClient({ webhookUrl: operators.url });
    const endpoints = [
      [all, (await newEndpoint(client, { url: all.url })).secret],
      [mints, (await newEndpoint(client, { url: mints.url, eventTypes: ['mint.confirmed', 'order.sent'] })).secret],
    ] as const;
    await newEndpoint(client, { url: failures.url, eventTypes: ['mint.failed', 'contract.failed'] });
    const disabled = await receive();
    const { id: disabledId } = await newEndpoint(client, { url: disabled.url });
    await client.patch(`/webhooks/endpoints/${disabledId}`, { status: 'DISABLED' });

    const { contractAddress } = await deployContract(client);
    const [order] = await orderMints(client, '43114', contractAddress, 1);
    await client.until(`/minting/${order?.body.id}`, ['CONFIRMED']);
    const both = ['contract.deployed', 'mint.confirmed'];
    await expect
      .poll(() => [operators, all, mints].map(typesOf))
      .toEqual([both, both, ['mint.confirmed', 'order.sent', 'order.sent']]);
    expect([failures, disabled].map(typesOf)).toEqual([[], []]);

    const ids = [operators, all, mints].map((receiver) => mintOf(receiver)?.headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(new Set([operators, all, mints].map((receiver) => mintOf(receiver)?.body)).size).toBe(1);
    for (const [receiver, secret] of endpoints) {
      for (const delivery of receiver.deliveries) expect(verified(delivery, secret)).toBe(true);
    }

    const stored = async () => {
      const { body } = await client.get(`/webhooks/deliveries?orderId=${order?.body.id}&eventType=mint.confirmed`);
      return body.items;
    };
    // Attempts are stored after their responses.
    const at = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/);
    const attempt = { number: 1, at, status: 'SUCCESS', responseStatusCode: 200, errorMessage: null };
    const item = { eventId: ids[0], eventType: 'mint.confirmed', status: 'SUCCESS', nextAttemptAt: null };
    await expect.poll(stored).toMatchObject(ids.map(() => item));
    for (const { attempts } of await stored()) expect(attempts).toEqual([attempt]);
  });

  it('reaches a good endpoint while another of the account does not answer', async () => {
    const open = new Set<unknown>();
    const silent = await receive(() => (response) => void open.add(response));
    const prompt = await receive();
    const client = await newClient();
    const { id: silentId } = await newEndpoint(client, { url: silent.url });
    const { id } = await newEndpoint(client, { url: prompt.url });
    for (let count = 0; count < 6; count += 1) await client.post(`/webhooks/endpoints/${silentId}/test`, '');
    await expect.poll(() => open.size).toBeGreaterThan(0);
    expect(await testOf(client, id)).toMatchObject({ status: 'SUCCESS' });
    const { body } = await client.get(`/webhooks/deliveries?endpointId=${silentId}&status=SUCCESS`);
    expect(body.items).toEqual([]);
    await client.delete(`/webhooks/endpoints/${silentId}`);
  });
});

describe('deliveries', () => {
  it('are listed by state, event, type, order and endpoint, page by page', async () => {
    const [good, bad] = [await receive(), await receive(() => 400)];
    const client = await newClient();
    const [one, two] = [await newEndpoint(client, { url: good.url }), await newEndpoint(client, { url: bad.url })];
    const sent = [await testOf(client, one.id), await testOf(client, two.id), await testOf(client, one.id)];
    const ids = sent.map(({ id }) => id);
    const list = async (query: string) =>
      (await client.get(`/webhooks/deliveries?${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await list('')).toEqual(ids.toReversed());
    expect(await list('status=SUCCESS')).toEqual([ids[2], ids[0]]);
    expect(await list('status=FAILED')).toEqual([ids[1]]);
    expect(await list(`eventId=${String(sent[1]?.['eventId'])}`)).toEqual([ids[1]]);
    expect(await list(`endpointId=${one.id}&eventType=webhook.test`)).toEqual([ids[2], ids[0]]);
    expect(await list('eventType=mint.failed')).toEqual([]);
    expect(await list(`orderId=${'0'.repeat(24)}`)).toEqual([]);
    const { body: page } = await client.get('/webhooks/deliveries?limit=2');
    expect(page.items).toHaveLength(2);
    expect(await list(`limit=2&cursor=${page.nextCursor}`)).toEqual([ids[0]]);
    for (const query of ['status=DONE', 'eventType=x', 'eventId=x', 'orderId=x', 'endpointId=x', 'limit=101']) {
      expect([query, (await client.get(`/webhooks/deliveries?${query}`)).status]).toEqual([query, 400]);
    }
    expect(sent[1]).toMatchObject({
      status: 'FAILED',
      attempts: [{ number: 1, status: 'FAILED', responseStatusCode: 400, errorMessage: null }],
      payload: bad.deliveries[0]?.body,
    });
  });

  it('are replayed one by one: the same id and body, with further attempts', async () => {
    const receiver = await receive((count) => (count === 1 ? 410 : 200));
    const client = await newClient();
    const { id: endpointId } = await newEndpoint(client, { url: receiver.url });
    const failed = await testOf(client, endpointId);
    expect(failed['status']).toBe('FAILED');
    const path = `/webhooks/deliveries/${String(failed['id'])}`;
    const name = key();
    const { status, body } = await client.post(`${path}/replay`, '', name);
    expect([status, body.id, body.status]).toEqual([200, failed['id'], 'PENDING']);
    const done = await client.until(path, ['SUCCESS']);
    expect(done['attempts']).toEqual([
      expect.objectContaining({ number: 1, status: 'FAILED', responseStatusCode: 410 }),
      expect.objectContaining({ number: 2, status: 'SUCCESS', responseStatusCode: 200 }),
    ]);
    const [first, second] = receiver.deliveries;
    expect([second?.headers['webhook-id'], second?.body]).toEqual([first?.headers['webhook-id'], first?.body]);

    // The same request again, its reply lost, replays nothing more.
    await forgetReply(name['idempotency-key']);
    expect((await client.post(`${path}/replay`, '', name)).body.status).toBe('SUCCESS');
    expect((await client.get(path)).body.attempts).toHaveLength(2);
    // What was delivered can be replayed too.
    expect((await client.post(`${path}/replay`, '')).status).toBe(200);
    await expect.poll(() => receiver.deliveries.length).toBe(3);
    await client.until(path, ['SUCCESS']);
    await forgetReply(name['idempotency-key']);
    expect((await client.post(`${path}/replay`, '', name)).body).toMatchObject({ status: 'SUCCESS' });
    expect((await client.get(path)).body.attempts).toHaveLength(3);
    await client.patch(`/webhooks/endpoints/${endpointId}`, { status: 'DISABLED' });
    expect((await client.post(`${path}/replay`, '')).body).toMatchObject({
      statusCode: 409,
      message: 'The endpoint is not enabled',
    });
  });

  it('of a test are found by its retry, although the endpoint is disabled or deleted since', async () => {
    const client = await newClient();
    const { id } = await newEndpoint(client);
    const name = key();
    const first = await client.post(`/webhooks/endpoints/${id}/test`, '', name);
    await forgetReply(name['idempotency-key']);
    await client.patch(`/webhooks/endpoints/${id}`, { status: 'DISABLED' });
    const again = await client.post(`/webhooks/endpoints/${id}/test`, '', name);
    expect([again.status, again.body.id]).toEqual([201, first.body.id]);
    await forgetReply(name['idempotency-key']);
    await client.delete(`/webhooks/endpoints/${id}`);
    const last = await client.post(`/webhooks/endpoints/${id}/test`, '', name);
    expect([last.status, last.body.id]).toEqual([201, first.body.id]);
  });

  it('are not replayed before they have ended', async () => {
    const receiver = await receive(() => () => {});
    const client = await newClient();
    const { id } = await newEndpoint(client, { url: receiver.url });
    const { body } = await client.post(`/webhooks/endpoints/${id}/test`, '');
    expect((await client.post(`/webhooks/deliveries/${body.id}/replay`, '')).body).toMatchObject({
      statusCode: 409,
      message: 'The delivery has not ended',
    });
    await client.delete(`/webhooks/endpoints/${id}`);
  });

  it('that failed since a time are replayed together, of one endpoint or all', async () => {
    let status = 400;
    const receiver = await receive(() => status);
    const client = await newClient();
    const [one, two] = [
      await newEndpoint(client, { url: receiver.url }),
      await newEndpoint(client, { url: `${receiver.url}/2` }),
    ];
    const before = await testOf(client, one.id);
    const { rows } = await database.query<{ at: Date }>("select now() + interval '2 milliseconds' as at");
    const since = rows[0]?.at.toISOString();
    await new Promise((resolve) => setTimeout(resolve, 10));
    const after = [await testOf(client, one.id), await testOf(client, two.id)];
    status = 200;
    const replay = (fields: object) => client.post('/webhooks/deliveries/replay', { since, ...fields });
    expect((await replay({ endpointId: two.id })).body).toEqual({ replayed: 1, hasMore: false });
    expect((await replay({})).body).toEqual({ replayed: 1, hasMore: false });
    expect((await replay({})).body).toEqual({ replayed: 0, hasMore: false });
    for (const { id } of after) {
      const done = await client.until(`/webhooks/deliveries/${String(id)}`, ['SUCCESS']);
      expect(done['attempts']).toHaveLength(2);
    }
    expect((await client.get(`/webhooks/deliveries/${String(before['id'])}`)).body.status).toBe('FAILED');
    expect((await client.post('/webhooks/deliveries/replay', {})).status).toBe(400);
    expect((await replay({ endpointId: '0'.repeat(24) })).status).toBe(404);
  });

  it('that failed after a replay of many are not made again by its retry', async () => {
    const receiver = await receive(() => 400);
    const client = await newClient();
    const { id: endpointId } = await newEndpoint(client, { url: receiver.url });
    const replayed = await testOf(client, endpointId);
    const body = { since: new Date(0).toISOString(), endpointId };
    const name = key();
    const replay = () => client.post('/webhooks/deliveries/replay', body, name);
    expect((await replay()).body).toEqual({ replayed: 1, hasMore: false });
    const later = await testOf(client, endpointId);
    const attempts = async (id: unknown) =>
      (await client.get(`/webhooks/deliveries/${String(id)}`)).body.attempts.length;
    await expect.poll(() => attempts(replayed['id'])).toBe(2);
    await forgetReply(name['idempotency-key']);
    expect((await replay()).body).toEqual({ replayed: 1, hasMore: true });
    expect([await attempts(replayed['id']), await attempts(later['id'])]).toEqual([2, 1]);
    expect((await client.get(`/webhooks/deliveries/${String(later['id'])}`)).body.status).toBe('FAILED');
  });

  it('are replayed until 1,000 of the account have no end, also by two requests at once', async () => {
    const client = await newClient();
    const { id } = await newEndpoint(client);
    const failed = await testOf(client, id);
    await client.patch(`/webhooks/endpoints/${id}`, { url: 'http://127.0.0.1:9/later' });
    // 1,500 failed deliveries, as many orders leave them; none is due while this test looks.
    await database.query(
      `with e as (
         insert into webhook_events (id, corporate_account_id, type, payload)
         select substr($1, 1, 12) || lpad(to_hex(n), 12, '0'), $2, 'mint.failed', '{}' from generate_series(1, 1500) n returning id
       )
       insert into webhook_deliveries (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type, status, attempt_limit)
       select id, id, $3, $2, 'mint.failed', 'FAILED', 5 from e`,
      [String(failed['id']), client.account._id, id],
    );
    const since = new Date(0).toISOString();
    const replies = await Promise.all([1, 2].map(() => client.post('/webhooks/deliveries/replay', { since }, key())));
    const counts = replies.map(({ body }) => body.replayed).toSorted((a, b) => b - a);
    // Some may have ended between the two.
    expect(counts[0]).toBe(1_000);
    expect(counts[1]).toBeLessThan(501);
    expect(replies.map(({ body }) => body.hasMore)).toContain(true);
    await client.delete(`/webhooks/endpoints/${id}`);
    await database.query("update webhook_deliveries set status = 'FAILED' where webhook_endpoint_id = $1", [id]);
  });
});

describe('a deleted endpoint', () => {
  it('gets nothing more; what was under way ends as SKIPPED, and can still be read', async () => {
    const receiver = await receive(() => 500);
    const client = await newClient();
    const { id } = await newEndpoint(client, { url: receiver.url });
    const { body } = await client.post(`/webhooks/endpoints/${id}/test`, '');
    await expect.poll(() => receiver.deliveries.length).toBe(1);
    await client.delete(`/webhooks/endpoints/${id}`);
    const ended = await client.until(`/webhooks/deliveries/${body.id}`, ['SKIPPED']);
    // A busy machine may have tried again before the endpoint was deleted.
    const attempt = expect.objectContaining({ status: 'RETRYING', responseStatusCode: 500 });
    expect(ended['attempts']).toEqual(receiver.deliveries.map(() => attempt));
    expect((await client.post(`/webhooks/endpoints/${id}/test`, '')).status).toBe(404);
  });
});

describe('the API document', () => {
  it('has every route of endpoints and deliveries, and the notices', async () => {
    const { body } = await call('/openapi.json');
    const routes = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      path.startsWith('/webhooks/') ? Object.keys(methods).map((method) => `${method} ${path}`) : [],
    );
    expect(routes).toHaveLength(11);
    for (const route of routes.filter((each) => each.startsWith('post '))) {
      const [method = '', path = ''] = route.split(' ');
      const names = body.paths[path][method].parameters.map(({ name }: { name: string }) => name);
      expect([route, names]).toEqual([route, expect.arrayContaining(['idempotency-key'])]);
    }
    const notices = ['order.sent', 'order.held', 'wallet.low', 'lane.stuck', 'webhook.test'];
    expect(Object.keys(body.webhooks)).toEqual(expect.arrayContaining(notices));
  });
});
