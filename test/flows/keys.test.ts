import { createHash } from 'node:crypto';
import { Client as Postgres } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bodyInTwoParts, REQUESTS_IN_PARTS } from '../fixtures/body-in-two-parts.ts';
import {
  call,
  cleanUpAfter,
  createMetadata,
  deployContract,
  newClient,
  receiverAddress,
  stack,
  type Client,
} from '../fixtures/client.ts';
import { deployElsewhere } from '../fixtures/foreign-contract.ts';
import { forgetReply, replyStored } from '../fixtures/forget-reply.ts';
import type { BuiltWorker } from '../fixtures/built-worker.ts';
import { startDataCenter } from '../fixtures/data-center.ts';
import { recordedBodies, setFaults, statementTagged } from '../fixtures/fault-proxy.ts';
import { allowErrors } from '../record/service-errors.ts';
import { adminOf, ask, keyHeaders, makeKey, revoke, type MadeKey } from '../fixtures/keys.ts';

// What an upload stores of a key that is revoked meanwhile is refused.
allowErrors('asset.insert_failed');

/** When a revoked key is refused at the latest (docs/keys.md). */
const PROMISED_MS = 2_000;

let database: Postgres;
let client: Client;
beforeAll(async () => {
  database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
  await database.connect();
  client = await newClient();
});
afterEach(() => setFaults(stack.proxies.database, [], 'keys'));
afterAll(() => database.end());

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const apiKey = stack.settings['GLOBAL_SECRET_KEY'] ?? '';
const operatorOf = ({ account }: Client) => ({ 'x-api-key': apiKey, 'x-corporate-id': account.corporateId });

describe('a key of an account', () => {
  it('is shown once and stored only as a hash', async () => {
    const made = await ask(adminOf(client), '/keys', { name: 'Shop', scopes: ['read', 'mint', 'read'] });
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { key, ...shown } = made.body;
    expect(key).toMatch(/^key_live_[0-9a-f]{64}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Shop',
      kind: 'live',
      scopes: ['read', 'mint'],
      allowedAddresses: null,
      expiresAt: null,
      lastUsedAt: null,
      parentId: null,
      createdAt: expect.any(String),
    });
    expect((await ask(adminOf(client), '/keys')).body.items).toContainEqual(shown);
    const { rows } = await database.query('select hash from account_keys where id = $1', [shown.id]);
    expect(rows).toEqual([{ hash: createHash('sha256').update(key).digest('hex') }]);
    expect(await tablesWith(key)).toEqual([]);
  });

  it('identifies its account: X-CORPORATE-ID is optional, and must match', async () => {
    const headers = keyHeaders(await makeKey(client));
    const { _id, corporateId } = client.account;
    expect((await ask(headers, '/contracts')).status).toBe(200);
    for (const name of [_id, corporateId]) {
      expect((await ask({ ...headers, 'x-corporate-id': name }, '/contracts')).status).toBe(200);
    }
    const other = await newClient();
    for (const name of [other.account._id, other.account.corporateId, 'nobody', `${corporateId}x`]) {
      expect([name, (await ask({ ...headers, 'x-corporate-id': name }, '/contracts')).status]).toEqual([name, 403]);
    }
  });

  it('acts for its own account only', async () => {
    const other = await newClient();
    const { body } = await ask(keyHeaders(await makeKey(other)), '/metadata', {
      chainId: '43114',
      name: 'A token',
      imageUrl: 'https://example.com/a.png',
      utility: { type: 'Flexible', data: {} },
    });
    expect((await other.get(`/metadata/${body._id}`)).status).toBe(200);
    const otherKey = keyHeaders(await makeKey(client));
    expect((await ask(otherKey, `/metadata/${body._id}`)).status).toBe(404);
    expect((await ask(otherKey, '/metadata')).body.items).toEqual([]);
    const { id } = await makeKey(other);
    expect((await revoke(otherKey, `/keys/${id}`)).status).toBe(404);
    expect((await ask(otherKey, '/keys')).body.items.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  it.each(['', 'key_live_', `key_live_${'0'.repeat(64)}`, `key_main_${'0'.repeat(64)}`, `key_live_${'G'.repeat(64)}`])(
    'that does not exist is 401: %j',
    async (key) => {
      const reply = await ask({ ...operatorOf(client), 'x-api-key': key }, '/contracts');
      expect(reply.status).toBe(401);
      expect(JSON.stringify(reply.body)).not.toMatch(/key_(live|main)/);
    },
  );

  it('is 401 when it is altered', async () => {
    const { key } = await makeKey(client);
    for (const other of [key.toUpperCase(), key.slice(0, -1), `${key}0`, key.replace('live', 'test')]) {
      expect((await ask({ 'x-api-key': other }, '/contracts')).status).toBe(401);
    }
  });

  it('is 403 while its account is INACTIVE', async () => {
    const shut = await newClient();
    const headers = keyHeaders(await makeKey(shut));
    expect((await ask(headers, '/contracts')).status).toBe(200);
    await database.query("update corporate_accounts set status = 'INACTIVE' where id = $1", [shut.account._id]);
    await pause(PROMISED_MS);
    expect((await ask(headers, '/contracts')).status).toBe(403);
  });

  it('is 401 once it has expired, despite constant use', async () => {
    const headers = keyHeaders(await makeKey(client, { expiresAt: new Date(Date.now() + 8_000).toISOString() }));
    expect((await ask(headers, '/contracts')).status).toBe(200);
    await expect.poll(async () => (await ask(headers, '/contracts')).status).toBe(401);
  });
});

describe('a key with allowed addresses', () => {
  it.each([
    ['203.0.113.9', 200],
    ['203.0.114.9', 403],
    ['2001:db8::9', 200],
    ['2001:db9::9', 403],
    ['::ffff:203.0.113.9', 200],
    ['unknown', 403],
  ])('from %s: %d', async (address, status) => {
    const key = await makeKey(client, { allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'] });
    expect((await ask({ ...keyHeaders(key), 'cf-connecting-ip': address }, '/contracts')).status).toBe(status);
  });

  it('shows its ranges in canonical form, each once', async () => {
    const allowedAddresses = ['203.0.113.7', '2001:DB8:0::/48', '203.0.113.7/32'];
    const { body } = await ask(adminOf(client), '/keys', { name: 'Ranges', scopes: ['read'], allowedAddresses });
    expect(body.allowedAddresses).toEqual(['203.0.113.7/32', '2001:db8::/48']);
  });
});

describe('POST /keys', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['without a name', { name: undefined }, 'name'],
    ['with an empty name', { name: '' }, 'name'],
    ['without scopes', { scopes: [] }, 'scopes'],
    ['with an unknown scope', { scopes: ['read', 'all'] }, 'scopes.1'],
    ['with an unknown kind', { kind: 'main' }, 'kind'],
    ['with no range', { allowedAddresses: [] }, 'allowedAddresses'],
    ['with a host name', { allowedAddresses: ['example.com'] }, 'allowedAddresses.0'],
    ['with bits beyond a prefix', { allowedAddresses: ['10.1.2.3/8'] }, 'allowedAddresses.0'],
    ['with a time without a zone', { expiresAt: '2030-01-01T00:00:00' }, 'expiresAt'],
    ['with a time in a year of five digits', { expiresAt: '9999-12-31T23:59:59-00:01' }, 'expiresAt'],
    ['with a time in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
    ['with a misspelt limit', { allowedAdresses: ['203.0.113.7'] }, 'allowedAdresses'],
  ])('%s is 400', async (_, fields, path) => {
    const reply = await ask(adminOf(client), '/keys', { name: 'Invalid', scopes: ['read'], ...fields });
    expect(reply.status).toBe(400);
    expect(reply.body.errors.map((issue: { path: string }) => issue.path)).toEqual([path]);
  });

  it('and its siblings are closed to a global API key, whose keys would outlive it', async () => {
    const reply = await ask(operatorOf(client), '/keys', { name: 'Lasting', scopes: ['read'] });
    expect(reply.status).toBe(403);
    expect((await ask(operatorOf(client), '/keys')).status).toBe(403);
    const { id } = await makeKey(client);
    expect((await revoke(operatorOf(client), `/keys/${id}`)).status).toBe(403);
  });

  it('takes the admin key with an account, and the admin key opens no other route of an account', async () => {
    const admin = adminOf(client);
    const body = { name: 'By an operator', scopes: ['read'] };
    expect((await ask({ 'x-admin-secret-key': admin['x-admin-secret-key'] }, '/keys', body)).status).toBe(401);
    expect((await ask({ ...admin, 'x-admin-secret-key': 'wrong' }, '/keys', body)).status).toBe(401);
    expect((await ask({ ...admin, 'x-corporate-id': 'nobody' }, '/keys', body)).status).toBe(403);
    expect((await ask({ ...operatorOf(client), 'x-admin-secret-key': 'wrong' }, '/keys', body)).status).toBe(401);
    expect((await ask(admin, '/contracts')).status).toBe(401);
    expect((await ask(admin, '/keys', body)).status).toBe(201);
  });
});

describe('a key that makes keys', () => {
  const limits = {
    scopes: ['read', 'mint', 'keys'],
    allowedAddresses: ['203.0.113.0/24'],
    expiresAt: '2090-01-01T00:00:00.000Z',
  };
  const at = { 'cf-connecting-ip': '203.0.113.9' };

  it('makes keys that may do as much as itself, as their parent', async () => {
    const maker = await makeKey(client, limits);
    const { status, body } = await ask({ ...keyHeaders(maker), ...at }, '/keys', { name: 'Same', ...limits });
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...limits, parentId: maker.id });
    const grandchild = await ask({ 'x-api-key': body.key, ...at }, '/keys', { name: 'Less', scopes: ['read'] });
    expect(grandchild.body).toMatchObject({ ...limits, scopes: ['read'], parentId: body.id });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a scope', { scopes: ['read', 'deploy'] }],
    ['all scopes', { scopes: ['read', 'metadata', 'mint', 'transfer', 'deploy', 'ownership', 'webhooks', 'keys'] }],
    ['a wider range', { allowedAddresses: ['203.0.112.0/23'] }],
    ['any IPv4 address', { allowedAddresses: ['0.0.0.0/0'] }],
    ['IPv6', { allowedAddresses: ['203.0.113.0/24', '::/0'] }],
    ['a later end', { expiresAt: '2090-01-01T00:00:00.001Z' }],
    ['the other kind of chains', { kind: 'test' }],
  ])('cannot make one that may do more: %s is 403', async (_, more) => {
    const maker = await makeKey(client, limits);
    const reply = await ask({ ...keyHeaders(maker), ...at }, '/keys', { name: 'More', scopes: ['read'], ...more });
    expect(reply.status).toBe(403);
    expect(reply.body.message).toMatch(/^A key cannot create a more powerful key: it /);
  });

  it('manages keys of its own kind only', async () => {
    const [live, test] = await Promise.all([makeKey(client), makeKey(client, { kind: 'test' })]);
    expect(new Set((await listed(keyHeaders(test))).map(({ kind }) => kind))).toEqual(new Set(['test']));
    expect(new Set((await listed(keyHeaders(live))).map(({ kind }) => kind))).toEqual(new Set(['live']));
    expect((await revoke(keyHeaders(test), `/keys/${live.id}`)).status).toBe(403);
    expect((await revoke(keyHeaders(live), `/keys/${test.id}`)).status).toBe(403);
    expect((await ask(keyHeaders(live), '/contracts')).status).toBe(200);
    expect((await makeKey(client, {}, keyHeaders(test))).key).toMatch(/^key_test_/);
  });
});

const endpointBy = async (key: MadeKey): Promise<string> =>
  (await ask(keyHeaders(key), '/webhooks/endpoints', { url: 'http://127.0.0.1:9/thief' })).body.id;
const list = (...ids: unknown[]) => ({ count: ids.length, ids });

describe('a key that is revoked', () => {
  let elsewhere: BuiltWorker;
  beforeAll(async () => {
    elsewhere = await startDataCenter({});
  });
  afterAll(() => elsewhere.stop());

  it('is 401 in every instance two seconds later, despite constant use', async () => {
    const made = await makeKey(client);
    const use = async () => {
      const replies = [
        ask(keyHeaders(made), '/contracts'),
        fetch(`${elsewhere.url}/contracts`, { headers: keyHeaders(made) }),
      ];
      return (await Promise.all(replies)).map(({ status }) => status);
    };
    const state = { isBusy: true };
    const busy = (async () => {
      while (state.isBusy) await use();
    })();
    expect(await use()).toEqual([200, 200]);
    const reply = await revoke(adminOf(client), `/keys/${made.id}`);
    expect({ status: reply.status, body: reply.body }).toEqual({ status: 204, body: '' });
    await pause(PROMISED_MS);
    expect(await use()).toEqual([401, 401]);
    state.isBusy = false;
    await busy;
    const { body } = await ask(adminOf(client), '/keys?limit=100');
    expect(body.items.map(({ id }: { id: string }) => id)).not.toContain(made.id);
  });

  it('is 401 although an earlier lookup has not returned yet', async () => {
    const made = await makeKey(client);
    const match = createHash('sha256').update(made.key).digest('hex');
    await setFaults(stack.proxies.database, [{ match, effect: 'stall', times: 1, milliseconds: 6_000 }], 'keys');
    const slow = ask(keyHeaders(made), '/contracts');
    await pause(500);
    await revoke(adminOf(client), `/keys/${made.id}`);
    await pause(PROMISED_MS);
    expect((await ask(keyHeaders(made), '/contracts')).status).toBe(401);
    await slow;
    expect((await ask(keyHeaders(made), '/contracts')).status).toBe(401);
  });

  it.each(REQUESTS_IN_PARTS)(
    'is 401 for a request whose body is still arriving: POST %s',
    async (path, contentType, parts) => {
      const owner = await newClient();
      const made = await makeKey(owner);
      const { body, finish } = bodyInTwoParts(parts);
      const headers = { ...keyHeaders(made), 'content-type': contentType };
      const reply = call(path, { method: 'POST', headers, body, duplex: 'half' });
      await pause(500);
      await revoke(adminOf(owner), `/keys/${made.id}`);
      await pause(PROMISED_MS);
      finish();
      expect((await reply).status).toBe(401);
      const { rows } = await database.query('select id from assets where corporate_account_id = $1', [
        owner.account._id,
      ]);
      expect(rows).toEqual([]);
    },
  );

  it.each([
    ['has revoked', 401, (owner: Client, { id }: MadeKey) => revoke(adminOf(owner), `/keys/${id}`)],
    [
      'has deactivated the account of',
      403,
      ({ account }: Client) =>
        database.query("update corporate_accounts set status = 'INACTIVE' where id = $1", [account._id]),
    ],
  ])('changes nothing once someone %s it, although it was confirmed before: %i', async (_, status, refuse) => {
    const owner = await newClient();
    const made = await makeKey(owner);
    const id = await createMetadata(owner);
    const holder = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from metadata where id = $1 for no key update', [id]);
    const { rows: backend } = await holder.query('select pg_backend_pid() as pid');
    const reply = ask(keyHeaders(made), `/metadata/${id}/status`, { status: 'Used' });
    const waiting = async () =>
      (await database.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [backend[0].pid]))
        .rowCount;
    await expect.poll(waiting).toBe(1);
    await refuse(owner, made);
    await holder.query('commit');
    await holder.end();
    expect((await reply).status).toBe(status);
    const { rows } = await database.query('select current_status, version from metadata where id = $1', [id]);
    expect(rows).toEqual([{ current_status: 'Unused', version: 1 }]);
    const audited = await database.query('select status_code from audit_log where key_id = $1', [made.id]);
    expect(audited.rows).toEqual(status === 401 ? [] : [{ status_code: status }]);
  });

  it('is 401, without a row in the audit log, also for requests that are refused for their form', async () => {
    const json = 'application/json';
    const forms = [
      ['too long', 'x'.repeat(600 * 1_024), json],
      ['no UTF-8', new Uint8Array([0xe9]), json],
      ['no JSON', '{', json],
      ['of another type', '{}', 'text/plain'],
    ] as const;
    const replies = await Promise.all(
      forms.map(async ([form, body, type]) => {
        const made = await makeKey(client);
        // A key that is in use is remembered.
        expect((await ask(keyHeaders(made), '/contracts')).status).toBe(200);
        await revoke(adminOf(client), `/keys/${made.id}`);
        await pause(PROMISED_MS);
        const headers = { ...keyHeaders(made), 'content-type': type, 'idempotency-key': form.replaceAll(' ', '-') };
        const { status } = await call('/metadata', { method: 'POST', headers, body });
        const { rows } = await database.query('select status_code from audit_log where key_id = $1', [made.id]);
        return [form, status, rows];
      }),
    );
    expect(replies).toEqual(forms.map(([form]) => [form, 401, []]));
  });

  it('stays revoked when it is revoked again, also concurrently', async () => {
    const { id } = await makeKey(client);
    const both = await Promise.all([1, 2].map(() => revoke(adminOf(client), `/keys/${id}`)));
    expect([...both, await revoke(adminOf(client), `/keys/${id}`)].map(({ status }) => status)).toEqual([
      204, 204, 204,
    ]);
    expect((await revoke(adminOf(client), `/keys/${'0'.repeat(24)}`)).status).toBe(404);
    expect((await revoke(adminOf(client), '/keys/all')).status).toBe(400);
  });

  it('may have revoked itself, and leaves the keys that it made', async () => {
    const maker = await makeKey(client);
    const child = await makeKey(client, {}, keyHeaders(maker));
    expect((await revoke(keyHeaders(maker), `/keys/${maker.id}`)).status).toBe(204);
    await pause(PROMISED_MS);
    expect((await ask(keyHeaders(maker), '/contracts')).status).toBe(401);
    expect((await ask(keyHeaders(child), '/contracts')).status).toBe(200);
  });

  it('takes its descendants with it on request', async () => {
    const maker = await makeKey(client);
    const child = await makeKey(client, {}, keyHeaders(maker));
    const grandchild = await makeKey(client, {}, keyHeaders(child));
    const other = await makeKey(client);
    expect((await revoke(adminOf(client), `/keys/${maker.id}?descendants=true`)).status).toBe(204);
    expect(await alive([maker.id, child.id, grandchild.id, other.id])).toEqual([other.id]);
  });

  it('shows what it made that outlives it, and on request takes that with it, and nothing that others made', async () => {
    const own = await newClient();
    const { contractAddress, _id } = await deployContract(own);
    const [thief, honest] = await Promise.all([makeKey(own), makeKey(own)]);
    const child = await makeKey(own, {}, keyHeaders(thief));
    const claimBy = async (key: MadeKey, tokenId: string) => {
      const fields = { chainId: '43114', contractAddress, tokenId, metadataId: await createMetadata(own) };
      const { status, body } = await ask(keyHeaders(key), '/claims', fields);
      expect([status, body.errors]).toEqual([201, undefined]);
      return body;
    };
    const registeredBy = async (key: MadeKey) => {
      const foreign = await deployElsewhere(own.account.walletAddress);
      const of = { chainId: '43114', contractAddress: foreign, ercStandard: '721', contractType: 'standard' };
      return (await ask(keyHeaders(key), '/contracts/register', of)).body._id;
    };
    const [claim, claimOfChild, claimOfOther] = [
      await claimBy(thief, '1'),
      await claimBy(child, '2'),
      await claimBy(honest, '3'),
    ];
    const [endpoint, other, changed] = [await endpointBy(thief), await endpointBy(honest), await endpointBy(honest)];
    const patched = await call(`/webhooks/endpoints/${changed}`, {
      method: 'PATCH',
      headers: { ...keyHeaders(thief), 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'https://thief.example/events' }),
    });
    expect(patched.status).toBe(200);
    const [contract, otherContract] = [await registeredBy(thief), await registeredBy(honest)];
    await call(`/contracts/${_id}/metadata`, {
      method: 'PUT',
      headers: { ...keyHeaders(thief), 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Taken', collaborators: [receiverAddress] }),
    });
    const resources = async (query = '') => (await ask(adminOf(own), `/keys/${thief.id}/resources${query}`)).body;
    const made = { endpoints: list(changed, endpoint), contracts: list(contract), collections: list(_id) };
    expect(await resources()).toEqual({ claims: list(claim.id), ...made });
    expect((await revoke(adminOf(own), `/keys/${thief.id}`)).status).toBe(204);
    // It was revoked without them.
    expect(await resources('?descendants=true')).toEqual({ claims: list(claimOfChild.id, claim.id), ...made });
    const end = () => revoke(adminOf(own), `/keys/${thief.id}?descendants=true&endResources=true`);
    expect((await end()).status).toBe(204);
    expect(await resources('?descendants=true')).toEqual({
      claims: list(),
      endpoints: list(),
      contracts: list(),
      collections: list(_id),
    });
    expect((await end()).status).toBe(204);
    const statusOf = async ({ id }: { id: string }) => (await own.get(`/claims/${id}`)).body.status;
    expect(await Promise.all([claim, claimOfChild, claimOfOther].map(statusOf))).toEqual([
      'CANCELLED',
      'CANCELLED',
      'OPEN',
    ]);
    const secret = new URL(claim.url).hash.slice(1);
    const taken = await ask({}, `/claims/${claim.id}/claim`, { secret, receiverAddress });
    expect([taken.status, taken.body.code]).toEqual([409, expect.any(String)]);
    // Cancelled by the cleanup job.
    await cleanUpAfter(20);
    expect(await own.until(`/minting/${claim.id}`, ['CANCELLED', 'FAILED'])).toMatchObject({ status: 'CANCELLED' });
    const endpoints = (await ask(keyHeaders(honest), '/webhooks/endpoints')).body.items;
    const idsOfAccount = endpoints.filter(({ managedBy }: Record<string, string>) => managedBy === 'account');
    const statusOfEach = idsOfAccount.map(({ id, status }: Record<string, string>) => [id, status]);
    expect(new Map(statusOfEach)).toEqual(
      new Map([
        [other, 'ENABLED'],
        [changed, 'DISABLED'],
      ]),
    );
    expect((await own.get(`/contracts/${contract}`)).body.status).toBe('FAILED');
    expect((await own.get(`/contracts/${otherContract}`)).body.status).toBe('ACTIVE');
    const { items } = (await ask(adminOf(own), `/audit?resourceId=${claim.id}`)).body;
    expect(items.map(({ method, route }: Record<string, string>) => `${method} ${route}`)).toEqual([
      'DELETE /keys/{id}',
      'POST /claims',
    ]);
    expect((await ask(keyHeaders(await makeKey(client)), `/keys/${thief.id}/resources`)).status).toBe(404);
  });

  it('with its descendants leaves no key that it makes at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const maker = await makeKey(client);
      // The service has the key in its cache.
      expect((await ask(keyHeaders(maker), '/keys')).status).toBe(200);
      const make = () => ask(keyHeaders(maker), '/keys', { name: 'Meanwhile', scopes: ['keys'] });
      const replies = await Promise.all([
        ...Array.from({ length: 5 }, make),
        revoke(adminOf(client), `/keys/${maker.id}?descendants=true`),
        ...Array.from({ length: 5 }, make),
      ]);
      replies.push(await make());
      for (const { status } of replies) expect([201, 204, 401]).toContain(status);
      expect(replies.at(-1)?.status).toBe(401);
      const made = replies.flatMap(({ status, body }) => (status === 201 ? [String(body.id)] : []));
      expect(await alive(made)).toEqual([]);
    }
  });
});

const NOTING_USE = statementTagged('note-key-use');

describe('the last use of a key', () => {
  it('is written at most once a minute, for requests that the key may make', async () => {
    const made = await makeKey(client, { scopes: ['read'] });
    expect((await ask(keyHeaders(made), '/keys')).status).toBe(403);
    expect(await lastUseOf(made.id)).toBeNull();
    await ask(keyHeaders(made), '/contracts');
    await expect.poll(() => lastUseOf(made.id)).not.toBeNull();
    const first = await lastUseOf(made.id);
    await setFaults(stack.proxies.database, [{ match: NOTING_USE, effect: 'record', times: 1_000 }], 'keys');
    for (let use = 0; use < 10; use += 1) await ask(keyHeaders(made), '/contracts');
    const elsewhere = await startDataCenter({});
    await fetch(`${elsewhere.url}/contracts`, { headers: keyHeaders(made) });
    const noted = async () =>
      (await recordedBodies(stack.proxies.database, 'keys')).filter((body) => body.includes(made.id));
    await expect.poll(async () => (await noted()).length).toBe(1);
    await elsewhere.stop();
    expect(await lastUseOf(made.id)).toEqual(first);
  });

  it('delays no reply', async () => {
    const made = await makeKey(client);
    await setFaults(
      stack.proxies.database,
      [{ match: NOTING_USE, effect: 'stall', times: 1_000, milliseconds: 12_000 }],
      'keys',
    );
    const { status } = await call('/contracts', { headers: keyHeaders(made), signal: AbortSignal.timeout(8_000) });
    expect(status).toBe(200);
    await expect.poll(heldBack).toContain(made.id);
  });

  it('fails no request when it cannot be written', async () => {
    const made = await makeKey(client);
    await setFaults(stack.proxies.database, [{ match: NOTING_USE, effect: 'refuse', times: 1_000 }], 'keys');
    expect((await ask(keyHeaders(made), '/contracts')).status).toBe(200);
    await setFaults(stack.proxies.database, [], 'keys');
    await expect
      .poll(async () => {
        await ask(keyHeaders(made), '/contracts');
        return await lastUseOf(made.id);
      })
      .not.toBeNull();
  });
});

describe('an Idempotency-Key', () => {
  const body = { name: 'Once', scopes: ['read'] };
  const post = (headers: Record<string, string>, name: string, more: object = {}) =>
    ask({ ...headers, 'idempotency-key': name }, '/keys', { ...body, ...more });

  it('makes one key, which only the first reply shows and nothing stores', async () => {
    const first = await post(adminOf(client), 'once');
    expect(first.status).toBe(201);
    await replyStored('once');
    const second = await post(adminOf(client), 'once');
    expect(second.status).toBe(200);
    expect(second.body).toEqual({ ...first.body, key: null });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await tablesWith(first.body.key)).toEqual([]);
    expect((await ask({ 'x-api-key': first.body.key }, '/contracts')).status).toBe(200);
  });

  it('finds the key of an attempt that crashed before its reply was stored', async () => {
    const first = await post(adminOf(client), 'died');
    await forgetReply('died');
    const second = await post(adminOf(client), 'died');
    expect([second.status, second.body]).toEqual([200, { ...first.body, key: null }]);
    expect((await post(adminOf(client), 'died')).body).toEqual(second.body);
  });

  it('finds the key of such an attempt also once it has expired', async () => {
    const expiresAt = new Date(Date.now() + 6_000).toISOString();
    const first = await post(adminOf(client), 'short', { expiresAt });
    expect(first.status).toBe(201);
    await forgetReply('short');
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(expiresAt));
    const second = await post(adminOf(client), 'short', { expiresAt });
    expect([second.status, second.body]).toEqual([200, { ...first.body, key: null }]);
  });

  it('shows the key to one of ten concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => post(adminOf(client), 'ten')));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of replies) expect([200, 201, 409]).toContain(status);
    const shown = replies.filter(({ body: reply }) => typeof reply.key === 'string');
    expect(shown.map(({ status }) => status)).toEqual([201]);
  });

  it('replays replies only to the key that made the request', async () => {
    const [one, other] = await Promise.all([makeKey(client), makeKey(client, { kind: 'test' })]);
    expect((await post(keyHeaders(one), 'mine')).status).toBe(201);
    expect((await post(keyHeaders(one), 'mine')).status).toBe(200);
    expect((await post(keyHeaders(other), 'mine')).status).toBe(201);
  });
});

/** The tables that contain a text anywhere. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await database.query(`select 1 from "${name}" as t where t::text like $1`, [`%${text}%`]);
    if (rowCount !== 0) found.push(name);
  }
  return found;
}

/** The keys among these that are not revoked. */
async function alive(ids: readonly string[]): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    'select id from account_keys where id = any($1) and revoked_at is null',
    [ids],
  );
  return rows.map(({ id }) => id);
}

async function lastUseOf(id: string): Promise<Date | null> {
  const { rows } = await database.query<{ at: Date | null }>(
    'select last_used_at as at from account_keys where id = $1',
    [id],
  );
  return rows[0]?.at ?? null;
}

async function listed(headers: Record<string, string>): Promise<{ id: string; kind: string }[]> {
  return (await ask(headers, '/keys?limit=100')).body.items;
}

async function heldBack(): Promise<string> {
  return (await recordedBodies(stack.proxies.database, 'keys')).join('\n');
}
