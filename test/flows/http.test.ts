import { readFile } from 'node:fs/promises';
import { Client as Postgres } from 'pg';
import { zeroAddress } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, newClient, stack, type Client } from '../fixtures/client.ts';

let client: Client;
const routes: { method: string; path: string; guard: 'corporate' | 'admin' | 'public' }[] = [];
const apiKey = stack.settings['GLOBAL_SECRET_KEY'] ?? '';

beforeAll(async () => {
  client = await newClient();
  const { body } = await call('/openapi.json');
  for (const [path, methods] of Object.entries<Record<string, { security?: Record<string, unknown>[] }>>(body.paths)) {
    for (const [method, { security }] of Object.entries(methods)) {
      const keys = new Set((security ?? []).flatMap((alternative) => Object.keys(alternative)));
      routes.push({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, '0'.repeat(24)),
        guard: keys.has('accountKey') ? 'corporate' : keys.has('adminKey') ? 'admin' : 'public',
      });
    }
  }
});

const ask = async (route: { method: string; path: string }, headers: Record<string, string>) =>
  await call(route.path, {
    method: route.method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(route.method === 'POST' ? { body: '{}' } : {}),
  });

describe('every corporate route', () => {
  it.each([
    ['without a key', () => ({}), 401],
    ['with a wrong key', () => ({ 'x-api-key': `${apiKey}x`, 'x-corporate-id': client.account.corporateId }), 401],
    ['without an account', () => ({ 'x-api-key': apiKey }), 401],
    ['with an unknown account', () => ({ 'x-api-key': apiKey, 'x-corporate-id': 'nobody' }), 403],
    ['with a malformed account', () => ({ 'x-api-key': apiKey, 'x-corporate-id': "' or 1=1 --" }), 403],
    ['with the admin key only', () => ({ 'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '' }), 401],
  ])('%s is refused', async (_, headers, status) => {
    const corporate = routes.filter(({ guard }) => guard === 'corporate');
    expect(corporate.length).toBeGreaterThan(10);
    const replies = await Promise.all(corporate.map((route) => ask(route, headers())));
    for (const [index, reply] of replies.entries()) {
      const route = corporate[index];
      expect([route, reply.status]).toEqual([route, status]);
      expect(reply.body).toMatchObject({ statusCode: status, path: route?.path });
      expect(Number.isNaN(Date.parse(reply.body.timestamp))).toBe(false);
      expect(typeof reply.body.message).toBe('string');
    }
  });

  it('is 403 for an account that is not ACTIVE', async () => {
    const { account } = await newClient();
    const database = new Postgres({ connectionString: stack.settings['DATABASE_URL'] });
    await database.connect();
    await database.query("update corporate_accounts set status = 'INACTIVE' where id = $1", [account._id]);
    await database.end();
    for (const name of [account._id, account.corporateId]) {
      const { status, body } = await call('/contracts', { headers: { 'x-api-key': apiKey, 'x-corporate-id': name } });
      expect([status, body.statusCode]).toEqual([403, 403]);
    }
  });

  it("accepts the account's record id as well as its corporateId", async () => {
    for (const name of [client.account._id, client.account.corporateId]) {
      const { status } = await call('/contracts', { headers: { 'x-api-key': apiKey, 'x-corporate-id': name } });
      expect(status).toBe(200);
    }
  });
});

describe('every admin route', () => {
  it('accepts the admin key and nothing else', async () => {
    for (const route of routes.filter(({ guard }) => guard === 'admin')) {
      expect((await ask(route, {})).status).toBe(401);
      expect((await ask(route, { 'x-api-key': apiKey, 'x-corporate-id': client.account.corporateId })).status).toBe(
        401,
      );
      expect((await ask(route, { 'x-admin-secret-key': 'wrong' })).status).toBe(401);
    }
  });
});

describe('errors have one form', () => {
  it.each([
    ['GET', '/nowhere'],
    ['HEAD', '/nowhere'],
    ['GET', '/docs/nowhere'],
    ['GET', '/docs/..%2fmain.js'],
    ['GET', '/schemas/nowhere/at/all'],
    ['POST', '/minting/nowhere/at/all'],
    ['POST', '/minting/orderr'],
    ['PATCH', '/contracts/deployy'],
    ['GET', '/admin/nowhere'],
    ['GET', '//contracts'],
  ])('for %s %s, which is no route: 404, with keys and without', async (method, path) => {
    const account = { 'x-corporate-id': client.account.corporateId };
    for (const headers of [{}, account, { ...account, 'x-api-key': apiKey }, { ...account, 'x-api-key': 'wrong' }]) {
      const { status, body } = await call(path, { method, headers });
      expect(status).toBe(404);
      const form = {
        statusCode: 404,
        code: 'route_not_found',
        message: 'No route matches this path',
        timestamp: expect.any(String),
        path,
        requestId: expect.any(String),
      };
      expect(body).toEqual(method === 'HEAD' ? '' : form);
    }
  });

  it.each([
    ['POST', '/', 'GET, HEAD'],
    ['DELETE', '/contracts', 'GET, HEAD'],
    ['OPTIONS', '/contracts/deploy', 'POST'],
    ['GET', '/minting/order', 'POST'],
    ['PUT', '/minting/order', 'POST'],
    ['PATCH', '/metadata/status-rules', 'GET, HEAD, PUT'],
    ['GET', `/metadata/${'0'.repeat(24)}/status`, 'POST'],
    ['GET', '/minting/order/', undefined],
    ['PUT', '/metadata/0x8ba1f109551bd432803012645ac136ddd64dba72/1', 'GET, HEAD'],
    ['POST', '/admin/orders', 'GET, HEAD'],
    ['GET', `/keys/${'0'.repeat(24)}`, 'DELETE'],
  ])('for %s %s, a path with other methods: 405, which are %s', async (method, path, allow) => {
    const { status, headers, body } = await call(path, { method });
    expect([status, headers.get('allow') ?? undefined]).toEqual([allow === undefined ? 404 : 405, allow]);
    expect(body).toMatchObject({ code: allow === undefined ? 'route_not_found' : 'method_not_allowed' });
  });

  it('for a body that is not JSON', async () => {
    const { status, body } = await client.post('/contracts/deploy', '{"name":');
    expect(status).toBe(400);
    expect(body).toMatchObject({ statusCode: 400, path: '/contracts/deploy' });
  });

  it.each(['[]', 'null', '"text"', '7'])('for a body that is not an object: %s', async (text) => {
    for (const path of ['/contracts/deploy', '/metadata', '/minting/order']) {
      const { status, body } = await client.post(path, text);
      expect([path, status]).toEqual([path, 400]);
      expect(body.statusCode).toBe(400);
    }
  });

  it('for a body over the limit, with or without Content-Length', async () => {
    const big = JSON.stringify({ name: 'x'.repeat(70_000) });
    expect((await client.post('/contracts/deploy', big)).status).toBe(413);
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(big));
        controller.close();
      },
    });
    const { status } = await call('/contracts/deploy', {
      method: 'POST',
      headers: {
        'x-api-key': apiKey,
        'x-corporate-id': client.account.corporateId,
        'content-type': 'application/json',
      },
      body: stream,
      duplex: 'half',
    });
    expect(status).toBe(413);
  });

  it('for a malformed id, and for one that does not exist', async () => {
    expect((await client.get('/contracts/not-an-id')).status).toBe(400);
    expect((await client.get(`/contracts/${'0'.repeat(24)}`)).status).toBe(404);
    expect((await client.get(`/minting/${'0'.repeat(24)}`)).status).toBe(404);
  });
});

describe('what anyone can read', () => {
  it.each(['/', '/docs', '/docs/schemas', '/docs/engine', '/docs/reference/order-mint'])(
    '%s is a page under a policy that allows its own scripts alone',
    async (path) => {
      const { status, headers, body } = await call(path);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; script-src '(self|none)'; style-src 'self';/);
      expect(policy).not.toMatch(/unsafe|https?:/);
      expect(body).not.toMatch(/src="(https?:)?\/\/|<link[^>]+href="(https?:)?\/\//);
    },
  );

  it('has a page of every route in the reference, which the search finds', async () => {
    const { body: document } = await call('/openapi.json');
    const { body: entries } = await call('/pages/site/search.json');
    const found = new Map<string, string>(entries.map(([, place, path]: string[]) => [place, path]));
    const operations = Object.entries<Record<string, object>>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const pages = await Promise.all(
      operations.map(async (operation) => {
        const { status, body } = await call(found.get(operation) ?? '/docs/nowhere');
        return [operation, status, body.includes(operation.split(' ')[1])];
      }),
    );
    expect(pages).toEqual(operations.map((operation) => [operation, 200, true]));
  });

  it.each([
    ['/portal/', '/portal'],
    ['/console/', '/console'],
    ['/gate/?a=b', '/gate?a=b'],
    ['/claim/0190f3c1a2b4d5e6f7a8b9c0/', '/claim/0190f3c1a2b4d5e6f7a8b9c0'],
    ['/docs/', '/docs'],
    ['/docs/keys/', '/docs/keys'],
    ['/verify/', '/verify'],
    [`/verify/${zeroAddress}/1/`, `/verify/${zeroAddress}/1`],
    [`/collection/43114/${zeroAddress}//`, `/collection/43114/${zeroAddress}`],
  ])('%s leads to %s', async (path, target) => {
    const { status, headers } = await call(path, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([308, target]);
  });

  it.each([
    '/nowhere',
    '/claim/',
    '/nowhere/at/all',
    '/docs/nowhere',
    '/docs/reference/nowhere',
    '/docs/not-found',
    '/docs/reference/..%2f..%2fmain.js',
  ])('%s, which the site does not have, is a page for a browser, too', async (path) => {
    const { status, headers, body } = await call(path, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8']);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';/);
    expect(body).toContain('<h1>Not found</h1>');
  });

  it('are the published metadata schemas, as files of the repository', async () => {
    const { body } = await call('/schemas');
    expect(body.items.length).toBeGreaterThan(3);
    for (const { schemaVersion } of body.items) {
      const reply = await call(`/schemas/${schemaVersion}`, { headers: { origin: 'https://example.com' } });
      expect(reply.body).toEqual(JSON.parse(await readFile(`schemas/${schemaVersion}.json`, 'utf8')));
      expect(reply.headers.get('access-control-allow-origin')).toBe('*');
      expect(reply.headers.get('cache-control')).toMatch(/^public, max-age=/);
    }
    const unknown = await call('/schemas/cert_schema@9.0.0');
    expect([unknown.status, unknown.body.message]).toEqual([404, 'Schema not found']);
  });
});

describe('GET /health', () => {
  it('requires no header', async () => {
    const { status, body } = await call('/health');
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ok' });
  });
});
