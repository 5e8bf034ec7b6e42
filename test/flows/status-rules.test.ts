import { Client as Postgres } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
  type Reply,
} from '../fixtures/client.ts';
import { forgetReply } from '../fixtures/forget-reply.ts';
import { ask, keyHeaders, makeKey } from '../fixtures/keys.ts';
import { changed, certificateInput, couponInput, flexibleInput, ticketInput } from '../fixtures/metadata-inputs.ts';

const ONCE = { Ticket: { Unused: ['Used', 'Void'], Used: [], Void: [] } };

let client: Client;
beforeAll(async () => {
  client = await newClient();
  const { status, body } = await putRules(ONCE);
  if (status !== 200) throw new Error(JSON.stringify(body));
});

function putRules(rules: unknown, as: Record<string, string> = globalKey(), query = ''): Promise<Reply> {
  return call(`/metadata/status-rules${query}`, {
    method: 'PUT',
    headers: { ...as, 'content-type': 'application/json' },
    body: JSON.stringify({ rules }),
  });
}

const globalKey = (of = client) => ({
  'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
  'x-corporate-id': of.account.corporateId,
});

async function connect(): Promise<Postgres> {
  const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  return database;
}

const newTicket = (of = client) => createMetadata(of, ticketInput);

const setStatus = (id: string, body: unknown, headers = {}) => client.post(`/metadata/${id}/status`, body, headers);

async function mint(metadataId: string): Promise<string> {
  const { contractAddress } = await deployContract(client);
  const order = { chainId: '43114', contractAddress, receiverAddress, tokenId: '1', metadataId };
  const { body } = await client.post('/minting/order', order);
  expect(await client.until(`/minting/${body.id}`, ['CONFIRMED', 'FAILED'])).toMatchObject({ status: 'CONFIRMED' });
  return `/metadata/${contractAddress}/1`;
}

function expectOneUse(replies: readonly Reply[]): void {
  const [used, refused] = [
    replies.filter(({ status }) => status === 200),
    replies.filter(({ status }) => status !== 200),
  ];
  expect(used.map(({ body }) => body.currentStatus)).toEqual(['Used']);
  expect(refused).toHaveLength(49);
  for (const { status, body } of refused) {
    expect([status, body.currentStatus, body.version]).toEqual([409, 'Used', 2]);
  }
}

describe('of 50 gates that use one ticket at once, exactly one succeeds, and the others learn that it is used,', () => {
  it('with `expected`', async () => {
    const id = await createMetadata(client);
    const replies = Array.from({ length: 50 }, () => setStatus(id, { status: 'Used', expected: 'Unused' }));
    expectOneUse(await Promise.all(replies));
  });

  it('by the rules alone, with a key that can do only this, and the public document shows it', async () => {
    const id = await newTicket();
    const path = await mint(id);
    const gates = await Promise.all(Array.from({ length: 5 }, () => makeKey(client, { scopes: ['status'] })));
    const replies = Array.from({ length: 50 }, (_, index) =>
      ask(keyHeaders(gates[index % 5] ?? { id: '', key: '' }), `/metadata/${id}/status`, { status: 'Used' }),
    );
    expectOneUse(await Promise.all(replies));
    expect((await call(path)).body.utility.data.status).toBe('Used');
  });

  it('also when their transactions overlap: the second waits for the first, and does not fail', async () => {
    const id = await newTicket();
    const [holder, observer] = [await connect(), await connect()];
    await holder.query('begin');
    await holder.query('select 1 from metadata where id = $1 for no key update', [id]);
    const gates = [setStatus(id, { status: 'Used' }), setStatus(id, { status: 'Used' })];
    const waiting = async () => {
      const { rowCount } = await observer.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%metadata%'",
      );
      return rowCount;
    };
    await expect.poll(waiting).toBeGreaterThanOrEqual(2);
    await holder.query('commit');
    await Promise.all([holder.end(), observer.end()]);
    const replies = await Promise.all(gates);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 409]));
    for (const { body } of replies) expect([body.currentStatus, body.version]).toEqual(['Used', 2]);
  });

  it('and one that lost its reply gets it again with the same Idempotency-Key, even if the service had crashed', async () => {
    const id = await newTicket();
    const key = { 'idempotency-key': `gate-${id}` };
    const first = await setStatus(id, { status: 'Used' }, key);
    await forgetReply(key['idempotency-key']);
    const again = await setStatus(id, { status: 'Used' }, key);
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    expect((await setStatus(id, { status: 'Used' }, { 'idempotency-key': `other-${id}` })).status).toBe(409);
  });
});

describe('the rules', () => {
  it('are shown as they were set', async () => {
    const { body } = await client.get('/metadata/status-rules');
    expect(body).toEqual({ kind: 'live', rules: ONCE, updatedAt: expect.any(String) });
    const other = await newClient();
    expect((await other.get('/metadata/status-rules')).body).toEqual({ kind: 'live', rules: {}, updatedAt: null });
  });

  it('let only a status follow that they list, whatever is expected', async () => {
    const id = await newTicket();
    for (const body of [{ status: 'Unused' }, { status: 'Stolen' }, { status: 'Unused', expected: 'Unused' }]) {
      const reply = await setStatus(id, body);
      expect([reply.status, reply.body.currentStatus]).toEqual([409, 'Unused']);
      expect(reply.body.message).toContain('rules for Ticket');
    }
    expect((await setStatus(id, { status: 'Used', expected: 'Void' })).body).toMatchObject({
      statusCode: 409,
      message: 'The status is "Unused", not "Void"',
      currentStatus: 'Unused',
      version: 1,
    });
    expect((await setStatus(id, { status: 'Void' })).body).toMatchObject({ currentStatus: 'Void', version: 2 });
    expect((await setStatus(id, { status: 'Used' })).status).toBe(409);
  });

  it('are for a type, an account and a kind of chains', async () => {
    const coupon = await createMetadata(client, couponInput);
    expect((await setStatus(coupon, { status: 'Anything' })).status).toBe(200);
    const other = await newClient();
    expect((await other.post(`/metadata/${await newTicket(other)}/status`, { status: 'Anything' })).status).toBe(200);
    const testTicket = await createMetadata(client, { ...ticketInput, chainId: '43113' });
    expect((await setStatus(testTicket, { status: 'Anything' })).status).toBe(200);

    const testKey = keyHeaders(await makeKey(client, { kind: 'test' }));
    expect((await putRules({ Ticket: { Anything: [] } }, testKey)).body).toMatchObject({ kind: 'test' });
    expect((await setStatus(testTicket, { status: 'Anything' })).status).toBe(409);
    expect((await client.get('/metadata/status-rules')).body.rules).toEqual(ONCE);
    expect((await putRules({}, testKey, '?kind=live')).status).toBe(403);
  });

  it('refuse a new document with a status that they do not list, and not one of another type', async () => {
    const stolen = changed(ticketInput, (copy) => (copy.utility.data.status = 'Stolen'));
    const { status, body } = await client.post('/metadata', stolen);
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          code: 'not_allowed',
          path: '$.utility.data.status',
          message: expect.stringContaining('rules'),
          schemaVersion: 'ticket_schema@1.0.0',
          type: 'Ticket',
        },
      ],
    ]);
    expect((await client.post('/metadata', certificateInput)).status).toBe(201);
    expect((await client.post('/metadata', couponInput)).status).toBe(201);
  });

  it('let a document without a status get any that they list', async () => {
    const other = await newClient();
    expect((await putRules({ Flexible: { New: ['Old'], Old: [] } }, globalKey(other))).status).toBe(200);
    const id = await createMetadata(other, flexibleInput);
    const set = (body: unknown) => other.post(`/metadata/${id}/status`, body);
    expect((await set({ status: 'Other' })).body).toMatchObject({ statusCode: 409, currentStatus: null });
    expect((await set({ status: 'Old', expected: 'New' })).status).toBe(409);
    expect((await set({ status: 'Old', expected: null })).body.currentStatus).toBe('Old');
    expect((await set({ status: 'New' })).status).toBe(409);
  });

  it.each([
    ['of a type that has no status', { Certificate: { A: [] } }],
    ['of an unknown type', { Poster: { A: [] } }],
    ['without statuses', { Ticket: {} }],
    ['with an unlisted status', { Ticket: { A: ['B'] } }],
    ['with a status twice', { Ticket: { A: ['A', 'A'] } }],
    ['with a status that could not be stored', JSON.parse('{"Ticket":{"A":[],"__proto__":["A"]}}')],
    ['with an empty status', { Ticket: { '': [] } }],
    ['with more than 50 statuses', { Ticket: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`S${i}`, []])) }],
  ])('are refused %s', async (_, rules) => {
    const { status, body } = await putRules(rules);
    expect([status, body.errors?.length]).toEqual([400, 1]);
  });
});
