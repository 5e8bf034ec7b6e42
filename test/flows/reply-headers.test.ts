import { beforeAll, describe, expect, it } from 'vitest';
import { call, createMetadata, newClient, stack } from '../fixtures/client.ts';
import type { Client } from '../fixtures/client.ts';

let client: Client;
let routes: { readonly method: string; readonly path: string }[];

beforeAll(async () => {
  client = await newClient();
  const { body } = await call('/openapi.json');
  routes = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path.replace('{contractAddress}', `0x${'0'.repeat(40)}`).replaceAll(/\{\w+\}/g, '0'.repeat(24)),
    })),
  );
  routes.push({ method: 'GET', path: '/openapi.json' }, { method: 'GET', path: '/nowhere' });
});

const credentials = () => ({
  'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
  'x-corporate-id': client.account.corporateId,
  'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
});

const ask = ({ method, path }: { method: string; path: string }, headers: Record<string, string>) =>
  call(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' ? { body: '{}' } : {}),
  });

const echoOf = async (id: string) =>
  (await call('/health', { headers: { 'x-request-id': id } })).headers.get('x-request-id');

describe('every reply', () => {
  it('forbids MIME sniffing, has a request id, and is not cached unless it says so', async () => {
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      for (const headers of [{}, credentials()]) {
        const reply = await ask(route, headers);
        expect([route, reply.headers.get('x-content-type-options')]).toEqual([route, 'nosniff']);
        expect([route, reply.headers.get('x-request-id')]).toEqual([route, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
        const caching = route.path.startsWith('/schemas') && reply.status === 200 ? 'public, max-age=3600' : 'no-store';
        expect([route, reply.headers.get('cache-control')]).toEqual([route, caching]);
      }
    }
  });

  it('has them even if it is the stored reply of an Idempotency-Key', async () => {
    const metadata = {
      chainId: '43114',
      name: 'A token',
      imageUrl: 'https://example.com/a.png',
      utility: { type: 'Flexible', data: {} },
    };
    const key = { 'idempotency-key': crypto.randomUUID() };
    const [first, again] = [
      await client.post('/metadata', metadata, key),
      await client.post('/metadata', metadata, { ...key, 'x-request-id': 'again' }),
    ];
    expect([first.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.headers.get('x-content-type-options')).toBe('nosniff');
    expect(again.headers.get('x-request-id')).toBe('again');
    expect(again.headers.get('cache-control')).toBe('no-store');
  });

  it('to an account is not cached when it succeeds', async () => {
    await createMetadata(client);
    const { status, headers } = await client.get('/metadata');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  });
});

describe('X-Request-Id', () => {
  it("is the caller's if it is short and plain", async () => {
    for (const id of ['7', 'a'.repeat(64), '4bf92f3577b34da6a3ce929d0e0e4736', 'Zm9v=_-'])
      expect(await echoOf(id)).toBe(id);
  });

  it.each([
    ['too long', 'a'.repeat(65)],
    ['with a space', 'a b'],
    ['with quotes', '","level":"error'],
    ['with a terminal code', '%1b[31m'],
    ['with markup', '<script>'],
    ['not ASCII', 'é'],
  ])('is a new one where the given one is %s', async (_, id) => {
    expect(await echoOf(id)).toMatch(/^[0-9a-f-]{36}$/);
  });
});
