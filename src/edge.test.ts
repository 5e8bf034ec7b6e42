import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import edge, { type EdgeEnv } from './edge.ts';

/** The requests that the core has got. */
let asked: Request[];
let core: (request: Request) => Response;
let documents = 0;

const env = {
  CORE: {
    async fetch(request: Request) {
      asked.push(request);
      return core(request);
    },
  },
} as unknown as EdgeEnv;

beforeEach(() => {
  asked = [];
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
});
afterEach(() => vi.restoreAllMocks());

async function ask(path: string, init: RequestInit = {}, settings: object = {}): Promise<Response> {
  const context = createExecutionContext();
  const request = new Request(`https://service.test${path}`, init);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a runtime hands over
  const reply = await edge.fetch(request as Parameters<typeof edge.fetch>[0], { ...env, ...settings }, context);
  // Read at once: a body that nobody reads keeps the runtime from ending.
  const body = reply.body === null ? null : await reply.arrayBuffer();
  await waitOnExecutionContext(context);
  return new Response(body, reply);
}

function newDocument(): string {
  documents += 1;
  return `/metadata/0x${'A'.repeat(40)}/${documents}`;
}

const document = (headers: Record<string, string> = {}) =>
  Response.json(
    { name: 'A token' },
    { headers: { 'cache-control': 'public, max-age=0, s-maxage=60', etag: '"1"', ...headers } },
  );

it('the core is told who the caller is by Cloudflare alone, and which request it is', async () => {
  core = () => new Response('done');
  await ask('/minting/order', {
    method: 'POST',
    body: '{}',
    headers: {
      'cf-connecting-ip': '203.0.113.7',
      forwarded: 'for=198.51.100.1',
      'true-client-ip': '198.51.100.1',
      'x-forwarded-for': '198.51.100.1',
      'x-forwarded-host': 'elsewhere.example',
      'x-real-ip': '198.51.100.1',
      'x-request-id': 'r1',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    },
  });
  expect(Object.fromEntries(asked[0]?.headers ?? [])).toEqual({
    'cf-connecting-ip': '203.0.113.7',
    'content-type': 'text/plain;charset=UTF-8',
    'x-request-id': 'r1',
    traceparent: expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/),
  });
  expect([asked[0]?.method, asked[0]?.url, await asked[0]?.text()]).toEqual([
    'POST',
    'https://service.test/minting/order',
    '{}',
  ]);
  const reply = await ask('/contracts');
  expect(asked[1]?.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  // The core goes on with the trace that the caller is told.
  expect(asked[1]?.headers.get('traceparent')).toContain(String(reply.headers.get('x-trace-id')));
});

it('who asks for the head of a document leaves all of it in the cache', async () => {
  core = (request) => (request.method === 'GET' ? document() : new Response(null, document()));
  const path = newDocument();
  for (const method of ['HEAD', 'HEAD', 'GET']) {
    const reply = await ask(path, { method });
    expect([reply.status, await reply.text()]).toEqual([200, method === 'GET' ? '{"name":"A token"}' : '']);
  }
  expect(asked).toHaveLength(1);
});

it('a document is asked of the core once, whatever spelling it has, and counts its age there', async () => {
  core = () => document({ age: '40' });
  const path = newDocument();
  expect((await ask(path)).headers.get('age')).toBe('40');
  const asHex = path.replace(/\d+$/, (id) => BigInt(id).toString(16).padStart(64, '0'));
  for (const spelling of [path, path.toLowerCase(), asHex]) {
    const again = await ask(spelling, { headers: { 'x-request-id': 'r2' } });
    expect([again.status, await again.json(), again.headers.get('x-request-id')]).toEqual([
      200,
      { name: 'A token' },
      'r2',
    ]);
    expect(Number(again.headers.get('age'))).toBeGreaterThanOrEqual(40);
  }
  const known = await ask(path, { headers: { 'if-none-match': '"1"' } });
  expect([known.status, known.headers.get('cache-control')]).toEqual([304, 'public, max-age=0, s-maxage=60']);
  const head = await ask(path, { method: 'HEAD' });
  expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, '"1"', '']);
  expect(asked).toHaveLength(1);

  core = () => document({ age: '60' });
  const old = newDocument();
  await ask(old);
  await ask(old);
  expect(asked).toHaveLength(3);
});

it('a client that has a document gets 304, and the data center the document', async () => {
  core = (request) => (request.headers.has('if-none-match') ? new Response(null, { status: 304 }) : document());
  const path = newDocument();
  for (let round = 0; round < 2; round += 1) {
    expect((await ask(path, { headers: { 'if-none-match': '"1"' } })).status).toBe(304);
  }
  expect(asked).toHaveLength(1);
});

it('what is not public, not found or ambiguous is asked of the core each time', async () => {
  core = () => Response.json({}, { status: 404, headers: { 'cache-control': 'no-store' } });
  const missing = newDocument();
  for (let round = 0; round < 2; round += 1) expect((await ask(missing)).status).toBe(404);
  core = () => document();
  const ambiguous = `/metadata/0x${'a'.repeat(40)}/${'1'.repeat(64)}`;
  for (let round = 0; round < 2; round += 1) expect((await ask(ambiguous)).status).toBe(200);
  core = () => Response.json({}, { headers: { 'cache-control': 'no-store' } });
  for (let round = 0; round < 2; round += 1) expect((await ask('/schemas')).status).toBe(200);
  expect(asked).toHaveLength(6);
});

it('what no core answers is 503 in the common form, and says when to try again', async () => {
  core = () => {
    throw new Error('the core is down');
  };
  for (const [method, path] of [
    ['POST', '/minting/order'],
    ['GET', '/contracts'],
    ['GET', newDocument()],
    ['OPTIONS', '/contracts'],
  ] as const) {
    const reply = await ask(path, { method });
    expect([reply.status, reply.headers.get('retry-after'), reply.headers.get('cache-control')]).toEqual([
      503,
      '5',
      'no-store',
    ]);
    expect(await reply.json()).toEqual({
      statusCode: 503,
      code: 'temporarily_unavailable',
      message: 'The service does not answer',
      timestamp: expect.any(String),
      path,
      requestId: reply.headers.get('x-request-id'),
    });
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

it('malformed settings are 503 where they are needed, and are logged', async () => {
  const log = vi.spyOn(console, 'error');
  const reply = await ask(newDocument(), {}, { METADATA_BASE_URI: 'nowhere' });
  expect([reply.status, await reply.json()]).toEqual([503, expect.objectContaining({ code: 'service_unavailable' })]);
  expect(String(log.mock.calls.flat())).toContain('METADATA_BASE_URI must be');
});
