import { Hono } from 'hono';
import { afterEach, expect, it, vi } from 'vitest';
import { DomainError } from '../core/domain-error.ts';
import { limitBody } from './request-body.ts';

afterEach(() => vi.restoreAllMocks());

it('a body of which a byte arrives each second is cut off, however long it is said to be', async () => {
  let sent = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => sent * 1_000);
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        sent += 1;
        if (sent > 60) controller.close();
        else controller.enqueue(new Uint8Array(1));
      },
    },
    { highWaterMark: 0 },
  );
  const app = new Hono();
  app.onError((error, c) => c.text(error instanceof DomainError ? error.kind : String(error)));
  app.post('/', limitBody(512 * 1_024), (c) => c.text('read'));
  const request = new Request('http://service.test/', {
    method: 'POST',
    body,
    headers: { 'content-length': '500000' },
  });
  expect(await (await app.request(request)).text()).toBe('too-slow');
  expect(sent).toBeLessThan(12);
});

it('a body that its length refuses is left to the runtime: nothing of it is read', async () => {
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(1)) });
  const app = new Hono();
  app.onError((error, c) => c.text(error instanceof DomainError ? error.kind : String(error)));
  app.post('/', limitBody(1_024), (c) => c.text('read'));
  const headers = { 'content-length': '1025' };
  const reply = await app.request(new Request('http://service.test/', { method: 'POST', body, headers }));
  expect([await reply.text(), body.locked]).toEqual(['too-large', false]);
});
