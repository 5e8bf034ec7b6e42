import { beforeAll, describe, expect, it } from 'vitest';
import { call, createMetadata, newClient, stack, type Client } from '../fixtures/client.ts';

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

function cachingOf(path: string): string {
  if (path.startsWith('/schemas')) return 'public, max-age=3600';
  if (path === '/.well-known/did.json' || path === '/.well-known/gs1resolver') return 'public, max-age=300';
  return path === '/openapi.json' ? 'public, max-age=0, s-maxage=60' : 'no-store';
}

describe('every reply', () => {
  it('forbids MIME sniffing, has a request id, and is not cached unless it says so', async () => {
    expect(routes.length).toBeGreaterThan(30);
    for (const route of routes) {
      for (const headers of [{}, credentials()]) {
        const reply = await ask(route, headers);
        expect([route, reply.headers.get('x-content-type-options')]).toEqual([route, 'nosniff']);
        expect([route, reply.headers.get('x-request-id')]).toEqual([route, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
        const caching = reply.status === 200 ? cachingOf(route.path) : 'no-store';
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
    expect((await client.post('/metadata', metadata, key)).status).toBe(201);
    const repeat = () => client.post('/metadata', metadata, { ...key, 'x-request-id': 'again' });
    // The reply is stored while it is sent.
    await expect.poll(async () => (await repeat()).headers.get('idempotent-replayed')).toBe('true');
    const again = await repeat();
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

const origin = { origin: 'https://example.com' };
const token = `/metadata/0x${'0'.repeat(40)}/1`;

/** A reply's status, and the headers that every reply has. */
async function headersOf(path: string, init: RequestInit) {
  const { status, headers } = await call(path, init);
  return {
    status,
    sniffing: headers.get('x-content-type-options'),
    requestId: headers.get('x-request-id'),
    caching: headers.get('cache-control'),
  };
}
const withHeaders = (status: number, caching: string) => ({
  status,
  sniffing: 'nosniff',
  requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  caching,
});

describe('every reply that no operation makes', () => {
  it.each([
    ['a page', '/', {}, 200, 'no-cache'],
    ['a page, for HEAD', '/docs', { method: 'HEAD' }, 200, 'no-cache'],
    ['the document, for HEAD', '/openapi.json', { method: 'HEAD' }, 200, 'public, max-age=0, s-maxage=60'],
    ['HEAD of what does not exist', token, { method: 'HEAD' }, 404, 'no-store'],
    ['HEAD without a key', '/contracts', { method: 'HEAD' }, 401, 'no-store'],
    ['a preflight request', token, { method: 'OPTIONS', headers: origin }, 204, 'no-store'],
    ['a preflight request where there is none', '/contracts', { method: 'OPTIONS', headers: origin }, 405, 'no-store'],
    ['a method that the path does not have', '/contracts', { method: 'DELETE' }, 405, 'no-store'],
    ['a method that no path has', '/contracts', { method: 'PROPFIND' }, 405, 'no-store'],
    ['a file that no page has', '/pages/site/nothing.js', {}, 404, 'no-store'],
    ["a page's index.html at another path", '/pages/site/index.html', {}, 404, 'no-store'],
  ] as const)('has them: %s', async (_, path, init, status, caching) => {
    expect(await headersOf(path, init)).toEqual(withHeaders(status, caching));
  });

  it('has them: the files of the pages, also where they are unchanged', async () => {
    const pages = await Promise.all(
      ['/', '/docs', '/docs/schemas', '/console', '/portal', '/gate', '/verify'].map((path) => call(path)),
    );
    const files = pages.flatMap(({ body }) =>
      Array.from(String(body).matchAll(/(?:src|href)="(\/pages\/[^"]+)"/g), ([, file = '']) => file),
    );
    expect(files.length).toBeGreaterThan(pages.length);
    for (const file of new Set(files)) {
      expect([file, await headersOf(file, {})]).toEqual([file, withHeaders(200, 'no-cache')]);
      const etag = (await call(file)).headers.get('etag') ?? '';
      const unchanged = await headersOf(file, { headers: { 'if-none-match': etag } });
      expect([file, unchanged]).toEqual([file, withHeaders(304, 'no-cache')]);
    }
  });

  it.each(['/', '/docs/reference/order-mint', '/console', '/portal', `/verify/0x${'a'.repeat(40)}/1`])(
    'has them: the page %s, also where it is unchanged, with its policy',
    async (path) => {
      const first = await call(path);
      const etag = first.headers.get('etag') ?? '';
      const policy = first.headers.get('content-security-policy');
      expect(policy).toMatch(/^default-src 'none'/);
      // A proxy that compresses a reply weakens its ETag.
      for (const known of [etag, `W/${etag}`]) {
        const init = { headers: { 'if-none-match': known } };
        expect(await headersOf(path, init)).toEqual(withHeaders(304, 'no-cache'));
        expect((await call(path, init)).headers.get('content-security-policy')).toBe(policy);
      }
      expect((await call(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    },
  );

  it('has them: 413 for a body over the limit', async () => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...credentials() },
      body: ' '.repeat(600_000),
    };
    expect(await headersOf('/metadata', init)).toEqual(withHeaders(413, 'no-store'));
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
