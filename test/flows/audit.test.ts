import { createHash } from 'node:crypto';
import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replyStored } from '../fixtures/forget-reply.ts';
import {
  call,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { setFaults, statementTagged } from '../fixtures/fault-proxy.ts';
import { adminOf, ask, keyHeaders, makeKey, revoke } from '../fixtures/keys.ts';
import { certificateInput } from '../fixtures/metadata-inputs.ts';
import { startOtherWorker, type OtherWorker } from '../fixtures/other-worker.ts';
import { expectErrors } from '../record/service-errors.ts';

expectErrors('request.failed', 'audit.not_recorded');

let client: Client;
let contractAddress: string;
let database: Postgres;
beforeAll(async () => {
  client = await newClient();
  ({ contractAddress } = await deployContract(client));
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
});
afterAll(() => database.end());

type Headers = Record<string, string>;
interface Entry {
  readonly id: string;
  readonly [field: string]: unknown;
}

const admin = () => ({ 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' });
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');

/** The audit log of an account, newest first. */
async function auditOf(of: Client, query = '', headers: Headers = adminOf(of)): Promise<Entry[]> {
  const { status, body } = await ask(headers, `/audit?limit=100${query}`);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.items;
}

/** The audit log of all accounts, newest first, page after page. */
async function auditOfAll(query: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor = ''; ;) {
    const { body } = await ask(admin(), `/admin/audit?limit=100${query}${cursor}`);
    entries.push(...body.items);
    if (body.nextCursor === null) return entries;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/** A moment ago: the Worker's clock stands still while it computes. */
const justNow = () => new Date(Date.now() - 2_000).toISOString();

const order = async (tokenId: number) => ({
  chainId: '43114',
  contractAddress,
  receiverAddress,
  tokenId: String(tokenId),
  metadataId: await createMetadata(client),
});

describe('a change that was asked for', () => {
  it('is recorded with who asked for it, from where, what it was, when, and its result', async () => {
    const key = await makeKey(client, { scopes: ['mint'] });
    const body = JSON.stringify(await order(1));
    const before = Date.now();
    const reply = await call('/minting/order', {
      method: 'POST',
      headers: {
        ...keyHeaders(key),
        'content-type': 'application/json',
        'cf-connecting-ip': '203.0.113.7',
        'x-request-id': 'audited-order',
      },
      body,
    });
    expect(reply.status).toBe(201);
    const [entry] = await auditOf(client);
    expect(entry).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      actor: 'key',
      keyId: key.id,
      address: '203.0.113.7',
      requestId: 'audited-order',
      method: 'POST',
      route: '/minting/order',
      resourceIds: [reply.body.id],
      bodyHash: sha256(body),
      statusCode: 201,
      createdAt: expect.any(String),
    });
    expect(Date.parse(String(entry?.['createdAt']))).toBeGreaterThanOrEqual(before - 1_000);
  });

  it('is recorded as that of a global key or of the admin', async () => {
    const created = await client.post('/metadata', {});
    const made = await makeKey(client);
    const [byAdmin, byGlobal] = await auditOf(client);
    expect(byAdmin).toMatchObject({ actor: 'admin', keyId: null, route: '/keys', resourceIds: [made.id] });
    expect(byGlobal).toMatchObject({ actor: 'global', keyId: null, route: '/metadata', statusCode: created.status });
  });

  it('names every record that it created or changed', async () => {
    const orders = await Promise.all([order(20), order(21), order(22)]);
    const taken = { ...(await order(23)), metadataId: orders[0]?.metadataId };
    const { body } = await client.post('/minting/orders/batch', { orders: [...orders, taken] });
    expect([body.accepted, body.refused]).toEqual([3, 1]);
    const ids = body.results.flatMap(({ order: accepted }: { order?: { id: string } }) => accepted?.id ?? []);
    expect((await auditOf(client))[0]).toMatchObject({ statusCode: 200, resourceIds: ids.toSorted() });

    const metadataId = await createMetadata(client);
    await client.post(`/metadata/${metadataId}/status`, { status: 'Used' });
    expect((await auditOf(client))[0]).toMatchObject({
      route: '/metadata/{id}/status',
      statusCode: 200,
      resourceIds: [metadataId],
    });

    const parent = await makeKey(client);
    const child = await makeKey(client, {}, keyHeaders(parent));
    await revoke(adminOf(client), `/keys/${parent.id}?descendants=true`);
    const revocation = { method: 'DELETE', route: '/keys/{id}', statusCode: 204, bodyHash: sha256('') };
    expect((await auditOf(client))[0]).toMatchObject({ ...revocation, resourceIds: [parent.id, child.id].toSorted() });
    // It changes nothing more, and is recorded all the same.
    await revoke(adminOf(client), `/keys/${parent.id}`);
    expect((await auditOf(client))[0]).toMatchObject({ ...revocation, resourceIds: [parent.id] });
  });

  it('of a contract names its deployment, and the transfer of its ownership', async () => {
    const own = await newClient();
    const contract = await deployContract(own);
    const { status, body } = await own.post('/contracts/transfer-ownership', {
      chainId: '43114',
      contractAddress: contract.contractAddress,
      newOwnerAddress: receiverAddress,
    });
    expect(status).toBe(200);
    const [transfer, deployment] = await auditOf(own);
    expect(transfer).toMatchObject({
      route: '/contracts/transfer-ownership',
      statusCode: 200,
      resourceIds: [body.jobId],
    });
    expect(deployment).toMatchObject({ route: '/contracts/deploy', statusCode: 201, resourceIds: [contract._id] });
  });

  it('of an order that is cancelled names the order', async () => {
    const own = await newClient();
    const pause = `/admin/accounts/${own.account.corporateId}/pause`;
    expect((await ask(admin(), pause, {})).status).toBe(200);
    const contract = { name: 'T', symbol: 'T', ercStandard: '721', contractType: 'standard' };
    const { body: deployment } = await own.post('/contracts/deploy', contract);
    const cancelled = await own.post('/contracts/cancel', { id: deployment._id });
    expect(cancelled.status).toBe(200);
    expect((await own.post('/contracts/cancel', { id: deployment._id })).status).toBe(409);
    const [refused, cancellation] = await auditOf(own);
    expect(cancellation).toMatchObject({ route: '/contracts/cancel', statusCode: 200, resourceIds: [deployment._id] });
    expect(refused).toMatchObject({ route: '/contracts/cancel', statusCode: 409, resourceIds: [] });
  });

  it('of a webhook endpoint names the endpoint, also when it is deleted', async () => {
    const key = keyHeaders(await makeKey(client));
    const { body: endpoint } = await ask(key, '/webhooks/endpoints', { url: 'http://127.0.0.1:9/' });
    const path = `/webhooks/endpoints/${endpoint.id}`;
    const json = { ...key, 'content-type': 'application/json' };
    await call(path, { method: 'PATCH', headers: json, body: JSON.stringify({ description: 'Orders' }) });
    await call(`${path}/rotate-secret`, { method: 'POST', headers: key });
    await call(path, { method: 'DELETE', headers: key });
    const entries = (await auditOf(client)).slice(0, 4);
    const changes = entries.map(({ method, statusCode, resourceIds }) => [method, statusCode, resourceIds]);
    const ids = [endpoint.id];
    expect(changes).toEqual([
      ['DELETE', 204, ids],
      ['POST', 200, ids],
      ['PATCH', 200, ids],
      ['POST', 201, ids],
    ]);
  });

  it('of an account by the operator is recorded in its audit log', async () => {
    const own = await newClient();
    const path = `/admin/accounts/${own.account.corporateId}`;
    const limits = JSON.stringify({ ordersPerDay: 5 });
    const headers = { ...admin(), 'content-type': 'application/json' };
    expect((await call(`${path}/limits`, { method: 'PUT', headers, body: limits })).status).toBe(200);
    for (const action of ['pause', 'resume']) expect((await ask(admin(), `${path}/${action}`, {})).status).toBe(200);
    const [resumed, paused, limited, created] = await auditOf(own);
    // Without the account's id, which is a credential.
    const byAdmin = { actor: 'admin', statusCode: 200, resourceIds: [] };
    expect(created).toMatchObject({ actor: 'command', resourceIds: [] });
    expect(resumed).toMatchObject({ ...byAdmin, route: '/admin/accounts/{corporateId}/resume' });
    expect(paused).toMatchObject({ ...byAdmin, route: '/admin/accounts/{corporateId}/pause' });
    expect(limited).toMatchObject({
      ...byAdmin,
      method: 'PUT',
      route: '/admin/accounts/{corporateId}/limits',
      bodyHash: sha256(limits),
    });
  });

  it('of a chain by the operator names the chain, also when it is refused', async () => {
    const since = justNow();
    // A chain that is not paused: a pause would hold the orders of other tests.
    for (const [chainId, status] of [
      ['43114', 200],
      ['999', 404],
    ] as const) {
      expect((await ask(admin(), `/admin/chains/${chainId}/resume`, {})).status).toBe(status);
      const [entry] = await auditOfAll(`&resourceId=${chainId}&createdFrom=${since}`);
      expect(entry).toMatchObject({
        corporateId: null,
        route: '/admin/chains/{chainId}/resume',
        statusCode: status,
        resourceIds: [chainId],
      });
    }
  });

  it('by an upload is recorded with the hash of the whole body', async () => {
    const png = Uint8Array.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', (character) => character.charCodeAt(0));
    const form = new FormData();
    form.append('file', new Blob([png]), 'a.png');
    const body = new Uint8Array(await new Response(form).arrayBuffer());
    const type = `multipart/form-data; boundary=${/^--(\S+)/.exec(new TextDecoder().decode(body))?.[1]}`;
    const key = keyHeaders(await makeKey(client));
    const reply = await call('/assets/upload', { method: 'POST', headers: { ...key, 'content-type': type }, body });
    expect(reply.status).toBe(201);
    expect((await auditOf(client))[0]).toMatchObject({
      route: '/assets/upload',
      statusCode: 201,
      resourceIds: [reply.body._id],
      bodyHash: sha256(body),
    });
  });

  it('is recorded once for each time that it was asked for, also when a reply is replayed', async () => {
    const body = await order(30);
    const replies = [];
    for (const _ of [1, 2]) replies.push(await client.post('/minting/order', body, { 'idempotency-key': 'audited' }));
    expect(replies.map(({ status }) => status)).toEqual([201, 201]);
    const [replayed, first] = await auditOf(client, '&route=/minting/order');
    expect(first).toMatchObject({ statusCode: 201, resourceIds: [replies[0]?.body.id] });
    expect(replayed).toMatchObject({ statusCode: 201, resourceIds: [], bodyHash: first?.['bodyHash'] });
  });

  it('by the operator is recorded each time too', async () => {
    const own = await newClient();
    const name = { ...admin(), 'idempotency-key': crypto.randomUUID() };
    const path = `/admin/accounts/${own.account.corporateId}/pause`;
    const replies = [await ask(name, path, {})];
    await replyStored(name['idempotency-key']);
    replies.push(await ask(name, path, {}));
    expect(replies.map(({ status, headers }) => [status, headers.get('idempotent-replayed')])).toEqual([
      [200, null],
      [200, 'true'],
    ]);
    expect(await auditOf(own, '&route=/admin/accounts/{corporateId}/pause')).toMatchObject([
      { actor: 'admin', statusCode: 200 },
      { actor: 'admin', statusCode: 200 },
    ]);
    const { body: deployment } = await own.post('/contracts/forwarder', { alias: 'Audited' });
    const cancel = `/admin/orders/${deployment._id}/cancel`;
    expect((await ask(name, cancel, {})).status).toBe(422);
    const again = { ...admin(), 'idempotency-key': crypto.randomUUID() };
    for (const _ of [1, 2]) expect((await ask(again, cancel, {})).status).toBe(200);
    const rows = await auditOfAll(`&resourceId=${deployment._id}`);
    const statuses = rows.filter(({ actor }) => actor === 'admin').map(({ statusCode }) => statusCode);
    expect(statuses).toEqual([200, 200, 422]);
  });
});

describe('a change that was refused', () => {
  const refusals: [string, number, () => Promise<{ readonly headers?: Headers; readonly path?: string }>][] = [
    ['its body is invalid', 400, async () => ({})],
    [
      'its key lacks the scope',
      403,
      async () => ({ headers: keyHeaders(await makeKey(client, { scopes: ['read'] })) }),
    ],
    [
      'its key is for other addresses',
      403,
      async () => ({ headers: keyHeaders(await makeKey(client, { allowedAddresses: ['198.51.100.1'] })) }),
    ],
    [
      'its key is of another account',
      403,
      async () => ({ headers: { ...keyHeaders(await makeKey(client)), 'x-corporate-id': 'another' } }),
    ],
    [
      'its record does not exist',
      404,
      async () => ({ path: `/metadata/${'0'.repeat(24)}/status`, headers: keyHeaders(await makeKey(client)) }),
    ],
  ];
  it.each(refusals)('because %s is recorded with the status %i', async (_, statusCode, make) => {
    const { headers = keyHeaders(await makeKey(client)), path = '/metadata' } = await make();
    const reply = await ask(headers, path, { status: 'x' });
    expect(reply.status).toBe(statusCode);
    const resourceIds = path === '/metadata' ? [] : ['0'.repeat(24)];
    expect((await auditOf(client))[0]).toMatchObject({ actor: 'key', statusCode, resourceIds });
  });

  it('because of a conflict is recorded with the status 409', async () => {
    const body = await order(40);
    await client.post('/minting/order', body);
    expect((await client.post('/minting/order', { ...body, tokenId: '41' })).status).toBe(409);
    expect((await auditOf(client))[0]).toMatchObject({ route: '/minting/order', statusCode: 409, resourceIds: [] });
  });

  it('does not fill the log: after twenty of a key to a route with one status, only the first from an address or for a record is shown', async () => {
    const own = await newClient();
    const key = await makeKey(own, { scopes: ['status'] });
    const [ours, theirs] = [await createMetadata(own, certificateInput), await createMetadata(own, certificateInput)];
    const attempt = (id: string, headers: Headers = {}, fields: object = { status: 'Used' }) =>
      ask({ ...keyHeaders(key), ...headers }, `/metadata/${id}/status`, fields);
    const rowsOf = (query = '') => auditOf(own, `&keyId=${key.id}${query}`);
    for (let repeated = 0; repeated < 25; repeated += 1) {
      await attempt(ours, {}, {});
      await attempt(ours);
    }
    expect((await rowsOf()).map(({ statusCode }) => statusCode)).toEqual(
      Array.from({ length: 20 }, () => [409, 400]).flat(),
    );
    for (let repeated = 0; repeated < 3; repeated += 1) expect((await attempt(theirs)).status).toBe(409);
    expect(await rowsOf(`&resourceId=${theirs}`)).toMatchObject([{ statusCode: 409 }]);
    for (let repeated = 0; repeated < 3; repeated += 1) await attempt(ours, { 'cf-connecting-ip': '203.0.113.9' });
    expect((await rowsOf()).slice(0, 2)).toMatchObject([{ address: '203.0.113.9' }, { resourceIds: [theirs] }]);
    // Another key has rows of its own.
    const other = await makeKey(own, { scopes: ['status'] });
    await ask(keyHeaders(other), '/minting/order', {});
    expect(await auditOf(own, `&keyId=${other.id}`)).toMatchObject([{ statusCode: 403 }]);
  });

  it('of a key that was revoked since its last use has no row: its caller is unknown', async () => {
    const own = await newClient();
    const key = await makeKey(own);
    expect((await ask(keyHeaders(key), '/metadata', {})).status).toBe(400);
    await revoke(adminOf(own), `/keys/${key.id}`);
    await expect.poll(async () => (await ask(keyHeaders(key), '/metadata', {})).status, { timeout: 5_000 }).toBe(401);
    expect(new Set((await auditOf(own, `&keyId=${key.id}`)).map(({ statusCode }) => statusCode))).toEqual(
      new Set([400]),
    );
  });

  it.each(['a batch of which every order is refused', 'freezing what is frozen'])(
    'does not fill the log either where its reply is 200: %s',
    async (what) => {
      const own = await newClient();
      const metadataId = await createMetadata(own);
      await own.post(`/metadata/${metadataId}/freeze`, '');
      const key = keyHeaders(await makeKey(own, { scopes: ['mint', 'metadata'] }));
      const repeat =
        what === 'freezing what is frozen'
          ? () => ask(key, `/metadata/${metadataId}/freeze`, {})
          : () => ask(key, '/minting/orders/batch', { orders: [{}] });
      for (let repeated = 0; repeated < 25; repeated += 1) expect((await repeat()).status).toBe(200);
      const rows = await auditOf(own, '&actor=key');
      expect(rows.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(200));
    },
  );

  it('hides nothing: a filter finds what is below any number of refusals', async () => {
    const own = await newClient();
    await createMetadata(own);
    const hidden = await auditOf(own, '&statusCode=201');
    expect(hidden).toHaveLength(1);
    await database.query(
      `insert into audit_log (id, corporate_account_id, actor, method, route, resource_ids, status_code, created_at)
       select lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 12, '0'), $1, 'key', 'POST', '/minting/order', '{}', 403, now() from generate_series(1, 5500) n`,
      [own.account._id],
    );
    for (const filter of ['statusCode=201', 'route=/metadata', 'actor=global', 'statusCode=201&route=/metadata']) {
      expect([filter, await auditOf(own, `&${filter}`)]).toEqual([filter, hidden]);
    }
    const { body } = await ask(admin(), `/admin/audit?statusCode=201&corporateId=${own.account.corporateId}`);
    expect(body.items.map(({ id }: Entry) => id)).toEqual(hidden.map(({ id }) => id));
  });

  it('because the key is wrong or revoked is not recorded: nobody is known to have asked', async () => {
    const revoked = await makeKey(client);
    await revoke(adminOf(client), `/keys/${revoked.id}`);
    await expect.poll(async () => (await ask(keyHeaders(revoked), '/contracts')).status).toBe(401);
    const before = await auditOf(client);
    const headers = { 'x-corporate-id': client.account.corporateId };
    for (const wrong of [keyHeaders(revoked), { ...headers, 'x-api-key': 'wrong' }, headers]) {
      expect((await ask(wrong, '/metadata', {})).status).toBe(401);
    }
    expect(await auditOf(client)).toEqual(before);
  });
});

describe('the row', () => {
  let worker: OtherWorker;
  beforeAll(async () => {
    worker = await startOtherWorker();
  });
  afterAll(() => worker.stop());

  const match = statementTagged('record-change');

  it('and the order are both stored, once, when the reply of the database is lost', async () => {
    const body = await order(50);
    await setFaults(worker.database, [{ match, effect: 'lose-reply', times: 1 }]);
    const reply = await worker.post(client, '/minting/order', body);
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '5']);
    await setFaults(worker.database, []);
    const { rows } = await database.query('select id from orders where metadata_id = $1', [body.metadataId]);
    expect(rows).toHaveLength(1);
    const entries = (await auditOf(client)).filter(({ bodyHash }) => bodyHash === sha256(JSON.stringify(body)));
    expect(entries).toEqual([expect.objectContaining({ statusCode: 201, resourceIds: [rows[0].id] })]);
  });

  it('says that a change failed when neither could be stored', async () => {
    const body = await order(51);
    await setFaults(worker.database, [{ match, effect: 'refuse', times: 1 }]);
    expect((await worker.post(client, '/minting/order', body)).status).toBe(503);
    await setFaults(worker.database, []);
    const { rowCount } = await database.query('select from orders where metadata_id = $1', [body.metadataId]);
    expect(rowCount).toBe(0);
    // The reply does not wait for it.
    const entries = async () =>
      (await auditOf(client)).filter(({ bodyHash }) => bodyHash === sha256(JSON.stringify(body)));
    await expect.poll(entries).toEqual([expect.objectContaining({ statusCode: 503, resourceIds: [] })]);
  });

  it('and the pause of an account are both stored when the reply of the database is lost', async () => {
    const own = await newClient();
    const { corporateId } = own.account;
    await setFaults(worker.database, [{ match, effect: 'lose-reply', times: 1 }]);
    expect((await worker.post(own, `/admin/accounts/${corporateId}/pause`, {}, admin())).status).toBe(503);
    await setFaults(worker.database, []);
    const { rows } = await database.query('select paused_at from corporate_accounts where corporate_id = $1', [
      corporateId,
    ]);
    expect(rows).toEqual([{ paused_at: expect.any(Date) }]);
    expect((await auditOf(own))[0]).toMatchObject({
      route: '/admin/accounts/{corporateId}/pause',
      statusCode: 200,
    });
  });

  it('of a refusal that cannot be stored does not change the reply', async () => {
    await setFaults(worker.database, [{ match: statementTagged('record-unchanged'), effect: 'refuse', times: 1 }]);
    expect((await worker.post(client, '/minting/order', {})).status).toBe(400);
    await setFaults(worker.database, []);
  });

  it('has no secret: neither a new key, nor a key that a caller puts elsewhere', async () => {
    const maker = await makeKey(client);
    const { body } = await ask(keyHeaders(maker), '/keys', { name: 'Test', scopes: ['read'] });
    const leaks = { 'x-request-id': body.key.slice(0, 64), 'cf-connecting-ip': body.key };
    await ask({ ...keyHeaders(maker), ...leaks }, `/metadata/${body.key}/status?key=${body.key}`, { status: body.key });
    const { rows } = await database.query('select * from audit_log where key_id = $1 order by id', [maker.id]);
    expect(rows.map(({ route }) => route)).toEqual(['/keys', '/metadata/{id}/status']);
    expect(JSON.stringify(rows)).not.toContain(body.key.slice('key_live_'.length, 50));
    expect(rows[1].address).toBeNull();
  });
});

/** Whether a route accepts the admin key. */
const ofAdmin = (route: string) => / \/(admin|keys)(\/|$)/.test(route);

/**
 * Requests each route with a body and a path that match nothing.
 * @returns those that were recorded, with the status.
 */
async function recordedOf(routes: readonly string[], headersOf: () => Promise<Headers>): Promise<string[]> {
  const recorded: string[] = [];
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    const requestId = crypto.randomUUID();
    const since = justNow();
    const { status } = await call(path.replaceAll(/\{\w+\}/g, '0'.repeat(24)), {
      method,
      headers: { ...(await headersOf()), 'x-request-id': requestId, 'content-type': 'application/json' },
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{}' }),
    });
    const entries = (await auditOfAll(`&createdFrom=${since}`)).filter((entry) => entry['requestId'] === requestId);
    if (entries.length === 0) continue;
    expect([route, entries.length, entries[0]]).toEqual([
      route,
      1,
      expect.objectContaining({ method, route: path, statusCode: status }),
    ]);
    recorded.push(route);
  }
  return recorded;
}

describe('every route', () => {
  it('that changes something is recorded, and none that only reads', async () => {
    const { body } = await call('/openapi.json');
    const routes: string[] = [];
    const changing: string[] = [];
    type Methods = Record<string, { 'x-scopes'?: string[]; security: unknown[] }>;
    for (const [path, methods] of Object.entries<Methods>(body.paths)) {
      for (const [name, { 'x-scopes': scopes = [], security }] of Object.entries(methods)) {
        const route = `${name.toUpperCase()} ${path}`;
        routes.push(route);
        const isRead = name === 'get' || scopes.includes('read');
        // What anyone may do is no change by a caller who is known.
        if (!isRead && security.length > 0) changing.push(route);
      }
    }
    expect(changing.length).toBeGreaterThan(10);
    const caller = { ...keyHeaders(await makeKey(client)), ...adminOf(client) };
    const recorded = [
      ...(await recordedOf(
        routes.filter((route) => !ofAdmin(route)),
        async () => keyHeaders(await makeKey(client)),
      )),
      ...(await recordedOf(routes.filter(ofAdmin), async () => caller)),
    ];
    expect(recorded.toSorted()).toEqual(changing.toSorted());
  });
});

describe('GET /audit', () => {
  it('shows an account its own entries only, by page and by filter', async () => {
    const [own, other] = await Promise.all([newClient(), newClient()]);
    const manager = await makeKey(own);
    const minter = await makeKey(own, { scopes: ['metadata'] });
    await makeKey(other);
    const metadataId = await createMetadata(own);
    await ask(keyHeaders(minter), `/metadata/${metadataId}/status`, { status: 'Used' });
    await ask(keyHeaders(minter), '/keys', {});
    const all = await auditOf(own, '', keyHeaders(manager));
    // The command that created the account is the first.
    expect(all.map(({ actor, route, statusCode }) => [actor, route, statusCode])).toEqual([
      ['key', '/keys', 403],
      ['key', '/metadata/{id}/status', 200],
      ['global', '/metadata', 201],
      ['admin', '/keys', 201],
      ['admin', '/keys', 201],
      ['command', 'account', null],
    ]);
    const shown = async (query: string) =>
      (await auditOf(own, query)).map(({ id }) => all.findIndex((entry) => entry.id === id));
    expect(await shown('&actor=admin')).toEqual([3, 4]);
    expect(await shown(`&keyId=${minter.id}`)).toEqual([0, 1]);
    expect(await shown(`&resourceId=${metadataId}`)).toEqual([1, 2]);
    expect(await shown('&route=/keys')).toEqual([0, 3, 4]);
    expect(await shown('&statusCode=403')).toEqual([0]);
    expect(await shown(`&createdTo=${String(all[3]?.['createdAt'])}`)).toEqual([4, 5]);
    const pages: unknown[] = [];
    for (let cursor = ''; ;) {
      const { body } = await ask(adminOf(own), `/audit?limit=4${cursor}`);
      pages.push(...body.items);
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    expect(pages).toEqual(all);
    expect((await ask(adminOf(own), '/audit?statusCode=ok')).status).toBe(400);
  });

  it('shows a key what was asked for with keys of its own kind and by the operator', async () => {
    const own = await newClient();
    const live = await makeKey(own);
    const test = await makeKey(own, { kind: 'test' });
    for (const key of [live, test]) await ask(keyHeaders(key), '/metadata', {});
    const seenBy = async (key: typeof live) =>
      (await auditOf(own, '', keyHeaders(key))).map(({ actor, keyId }) => keyId ?? actor);
    expect(await seenBy(live)).toEqual([live.id, 'admin', 'admin', 'command']);
    expect(await seenBy(test)).toEqual([test.id, 'admin', 'admin', 'command']);
  });
});

describe('GET /admin/audit', () => {
  it('shows the operator the entries of all accounts, or of one', async () => {
    const [one, two] = await Promise.all([newClient(), newClient()]);
    const since = justNow();
    await Promise.all([makeKey(one), makeKey(two)]);
    const accounts = new Set((await auditOfAll(`&createdFrom=${since}`)).map(({ corporateId }) => corporateId));
    for (const { account } of [one, two]) expect(accounts).toContain(account.corporateId);
    const ofOne = await auditOfAll(`&corporateId=${one.account.corporateId}`);
    const { corporateId } = one.account;
    expect(ofOne).toEqual((await auditOf(one)).map((entry) => ({ ...entry, corporateId })));
  });
});
