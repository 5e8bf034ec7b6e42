import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, newClient, stack } from '../fixtures/client.ts';
import type { BuiltWorker } from '../fixtures/built-worker.ts';
import { startDataCenter } from '../fixtures/data-center.ts';
import { adminOf, ask as askStack, keyHeaders, makeKey } from '../fixtures/keys.ts';

const LIMIT = 5;

/** Low enough for a test to reach them. */
const LIMITS = Object.fromEntries(
  ['RATE', 'DEPLOY', 'RELAY', 'READ', 'INDEX', 'UPLOAD', 'SIGNATURE', 'WEBHOOK', 'REFUSAL'].map((name) => [
    `${name}_LIMITER`,
    LIMIT,
  ]),
);

let service: BuiltWorker;
let url: string;

beforeAll(async () => {
  service = await startDataCenter({}, LIMITS);
  ({ url } = service);
});
afterAll(() => service.stop());

/** Sends requests until the reply is 429. @returns the replies. */
async function askUntilRefused(ask: () => Promise<Response>): Promise<Response[]> {
  const replies: Response[] = [];
  // A new period may begin in the meantime; the limit is then reached a little later.
  while (replies.length < 3 * LIMIT && replies.at(-1)?.status !== 429) replies.push(await ask());
  return replies;
}

/** The routes of each class except the standard one, as in `POST /contracts/deploy`, by what /openapi.json says. */
async function costlyRoutes(): Promise<Map<string, string[]>> {
  const { body } = await call('/openapi.json');
  const operations = Object.entries<Record<string, { 'x-rate-class'?: string }>>(body.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, { 'x-rate-class': rateClass = 'standard' }]) => ({
        rateClass,
        route: `${method.toUpperCase()} ${path}`,
      })),
  );
  const costly = operations.filter(({ rateClass }) => rateClass !== 'standard');
  const classes = Map.groupBy(costly, ({ rateClass }) => rateClass);
  return new Map(Array.from(classes, ([name, routes]) => [name, routes.map(({ route }) => route)]));
}

describe('the rate limit', () => {
  it('applies per account: 429 with Retry-After in the common form, while others continue', async () => {
    const [busy, calm] = await Promise.all([newClient(), newClient()]);
    const ask = (corporateId: string) =>
      fetch(new URL('/contracts', url), {
        headers: { 'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '', 'x-corporate-id': corporateId },
      });
    const replies = await askUntilRefused(() => ask(busy.account.corporateId));
    expect(replies.length).toBeGreaterThan(LIMIT);
    const refused = replies.at(-1);
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get('retry-after')).toBe('60');
    expect(refused?.headers.get('ratelimit')).toBe('"standard";r=0;t=60');
    for (const { headers } of replies) expect(headers.get('ratelimit-policy')).toBe('"standard";q=60000;w=60');
    expect(await refused?.json()).toEqual({
      statusCode: 429,
      code: 'rate_limited',
      requestId: refused?.headers.get('x-request-id'),
      message: 'Too many requests of this kind from the account',
      timestamp: expect.any(String),
      path: '/contracts',
    });
    expect((await ask(calm.account.corporateId)).status).toBe(200);
    const health = await fetch(new URL('/health', url));
    expect(health.status).toBe(200);
  });

  it('applies per class of costly routes, and before the body is read', async () => {
    const { corporateId } = (await newClient()).account;
    const ask = (route: string) => {
      const [method = '', path = ''] = route.split(' ');
      return fetch(new URL(path, url), {
        method,
        headers: {
          'x-api-key': stack.settings['GLOBAL_SECRET_KEY'] ?? '',
          // For the routes that take no global API key.
          'x-admin-secret-key': stack.settings['ADMIN_SECRET_KEY'] ?? '',
          'x-corporate-id': corporateId,
          'content-type': 'application/json',
        },
        ...(method === 'POST' ? { body: '{}' } : {}),
      });
    };
    const classes = await costlyRoutes();
    expect(classes.size).toBe(7);
    for (const routes of classes.values()) {
      const replies = await askUntilRefused(() => ask(routes[0] ?? ''));
      expect([routes, replies.length > LIMIT, replies.at(-1)?.headers.get('retry-after')]).toEqual([
        routes,
        true,
        '60',
      ]);
      // The limit applies to the other routes of the class as well, and to a HEAD of a GET.
      const heads = routes.filter((route) => route.startsWith('GET ')).map((route) => route.replace('GET', 'HEAD'));
      const others = [...routes, ...heads];
      // A new period may begin here, too.
      const statuses = async () => {
        await askUntilRefused(() => ask(routes[0] ?? ''));
        return Promise.all(others.map(async (route) => [route, (await ask(route)).status]));
      };
      await expect.poll(statuses).toEqual(others.map((route) => [route, 429]));
    }
    expect((await ask('GET /contracts')).status).toBe(200);
  });

  it('applies to what a key may not ask for, reads too, apart from what it and other keys may', async () => {
    const client = await newClient();
    const [key, other, writer] = await Promise.all(
      (['read', 'read', 'metadata'] as const).map((scope) => makeKey(client, { scopes: [scope] })),
    );
    if (key === undefined || other === undefined || writer === undefined) throw new Error('There are three keys');
    const ask = (method: string, path: string, by = key) =>
      fetch(new URL(path, url), { method, headers: keyHeaders(by) });
    const reads = await askUntilRefused(() => ask('GET', '/audit', writer));
    expect([reads[0]?.status, reads.at(-1)?.status]).toEqual([403, 429]);
    const replies = await askUntilRefused(() => ask('POST', '/metadata'));
    expect(replies.length).toBeGreaterThan(LIMIT);
    expect(replies.slice(0, -1).every(({ status }) => status === 403)).toBe(true);
    expect(replies.at(-1)?.headers.get('retry-after')).toBe('60');
    expect((await ask('GET', '/contracts')).status).toBe(200);
    expect((await ask('POST', '/metadata', other)).status).toBe(403);
    const { body } = await askStack(adminOf(client), `/audit?keyId=${key.id}`);
    expect(body.items).toHaveLength(replies.length - 1);
  });
});

describe('the configured limits', () => {
  it('let an account relay 500 mints at once', async () => {
    const client = await newClient();
    const replies = await Promise.all(Array.from({ length: 500 }, () => client.post('/minting/relay', {})));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([400]));
  });
});
