import { afterEach, describe, expect, it, vi } from 'vitest';
import { type RoundTrip, startFarServer } from './distance.ts';
import { type HttpHandler, type HttpServer, readBody, startHttpServer } from './http-server.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) await server.stop();
});

/** A far server. @returns its URL, and the round trips to it. */
async function farAway(handler: HttpHandler, milliseconds = 20) {
  const trips: RoundTrip[] = [];
  const near = await startHttpServer('near', handler);
  const far = await startFarServer(near.url, 'node', { milliseconds, observe: (trip) => void trips.push(trip) });
  servers.push(far, near);
  return { url: far.url, trips };
}

describe('a far server', () => {
  it('gets the request, and its reply arrives, unchanged', async () => {
    const { url, trips } = await farAway(async (request, response) => {
      const body = await readBody(request, 100);
      const { method, headers } = request;
      response
        .writeHead(418, { 'x-answer': 'yes' })
        .end(`${method} ${request.url} ${String(headers['x-key'])} ${body.toString()}`);
    });
    const reply = await fetch(`${url}/a?b=c`, { method: 'POST', headers: { 'x-key': 'k' }, body: 'grüße' });
    expect([reply.status, reply.headers.get('x-answer'), await reply.text()]).toEqual([
      418,
      'yes',
      'POST /a?b=c k grüße',
    ]);
    const times = { startedAt: expect.any(Number), endedAt: expect.any(Number) };
    expect(trips).toEqual([{ to: 'node', body: 'grüße', replyBytes: 21, ...times }]);
  });

  it('is as far as was said', async () => {
    const { url, trips } = await farAway((_, response) => void response.end(), 60);
    await fetch(url);
    const [{ startedAt, endedAt } = { startedAt: 0, endedAt: 0 }] = trips;
    // Timers are a millisecond early at times.
    expect(endedAt - startedAt).toBeGreaterThan(57);
  });

  it('answers requests at the same time, however many', async () => {
    const held: (() => void)[] = [];
    // None is answered before all have arrived.
    const { url } = await farAway((_, response) => {
      held.push(() => response.end('all here'));
      if (held.length === 150) for (const release of held) release();
    });
    const replies = await Promise.all(Array.from({ length: 150 }, async () => (await fetch(url)).text()));
    expect(new Set(replies)).toEqual(new Set(['all here']));
  });

  it('reports the failure of a server that does not answer', async () => {
    const report = vi.spyOn(console, 'error').mockReturnValue();
    const { url } = await farAway((_, response) => void response.destroy());
    expect((await fetch(url)).status).toBe(500);
    expect(report).toHaveBeenCalledWith('The way to the node:', expect.objectContaining({ code: 'ECONNRESET' }));
  });
});
