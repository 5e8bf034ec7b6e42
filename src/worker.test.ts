import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createApp } from './app.ts';
import { lowerCase } from './core/lower-case.ts';
import type { Env } from './platform/env.ts';
import type { QueueMessage } from './platform/queues.ts';
import worker from './worker.ts';

/** The bindings of wrangler.toml, no setting that is required, and one that cannot be read. */
const bindings = Object.fromEntries(Object.entries(env).filter(([, value]) => typeof value !== 'string'));
const faulty = { ...(bindings as unknown as Env), CONFIRMATIONS: 'many' };
const FAULTY = [
  'ENVIRONMENT',
  'GLOBAL_SECRET_KEY',
  'ADMIN_SECRET_KEY',
  'ENCRYPTION_KEYS',
  'DATABASE_URL',
  'RPC_URL_43114',
  'RPC_URL_43113',
  'AWS_REGION',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'CONFIRMATIONS',
];

let lines: string[];
beforeEach(() => {
  lines = [];
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line));
  }
});
afterEach(() => vi.restoreAllMocks());

/** @param ids Of the request, if there is one. */
function expectOneLineWithEveryIssue(ids: { requestId?: unknown; traceId?: unknown } = {}) {
  expect(lines).toHaveLength(1);
  const { issues, ...line } = JSON.parse(lines[0] ?? '') as { issues: string[] };
  expect(line).toEqual({ time: expect.any(String), level: 'error', event: 'settings.invalid', ...ids });
  expect(new Set(issues.map((issue) => issue.split(' ')[0]))).toEqual(new Set(FAULTY));
}

describe('a Worker with missing and malformed settings', () => {
  const routes = [
    // Hono lists each middleware of a route.
    ...new Map(createApp().routes.map((route) => [`${route.method} ${route.path}`, route])).values(),
    { method: 'GET', path: '/' },
    { method: 'POST', path: '/nowhere' },
    { method: 'OPTIONS', path: '/metadata/0x1/1' },
  ].filter(({ method }) => method !== 'ALL');

  it.each(routes)(
    'replies to $method $path with 503 in the common form, and logs every issue at once',
    async (route) => {
      const path = route.path.replaceAll(/:\w+(?:\{[^}]*\})?/g, '1');
      const request = new Request(`https://service.test${path}`, { method: route.method });
      const reply = await worker.fetch(request, faulty, createExecutionContext());
      expect(reply.status).toBe(503);
      expect(await reply.json()).toEqual({
        statusCode: 503,
        code: 'service_unavailable',
        requestId: reply.headers.get('x-request-id'),
        message: 'The service is not available',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        path,
      });
      const [requestId, traceId] = ['x-request-id', 'x-trace-id'].map((name) => reply.headers.get(name));
      expectOneLineWithEveryIssue({ requestId, traceId });
    },
  );

  it('leaves queue messages to be delivered again, and logs every issue', async () => {
    const body: QueueMessage = {
      kind: 'mint',
      lane: { chainId: '43114', walletAddress: lowerCase(`0x${'0'.repeat(40)}`) },
    };
    const messages = ['m1', 'm2'].map((id) => ({ id, timestamp: new Date(), attempts: 1, body }));
    const batch = createMessageBatch('nft-mint', messages);
    const retryAll = vi.spyOn(batch, 'retryAll');
    await worker.queue(batch, faulty);
    expect(retryAll.mock.calls).toEqual([[{ delaySeconds: 60 }]]);
    const { outcome, retryBatch, explicitAcks, ackAll } = await getQueueResult(batch, createExecutionContext());
    expect({ outcome, retry: retryBatch.retry, explicitAcks, ackAll }).toEqual({
      outcome: 'ok',
      retry: true,
      explicitAcks: [],
      ackAll: false,
    });
    expectOneLineWithEveryIssue();
  });

  it('does no cleanup, whose work stays in the database, and logs every issue', async () => {
    await worker.scheduled(createScheduledController(), faulty);
    expectOneLineWithEveryIssue();
  });
});
