import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { DomainError } from '../core/domain-error.ts';
import type { AppEnv } from './router.ts';
import { takeTurn } from './take-turn.ts';

/** The status of a request whose key was revoked while it waited for its turn for so many milliseconds. */
async function statusAfter(waitedMs: number): Promise<number> {
  const times = [0, waitedMs];
  const app = new Hono<AppEnv>();
  app.onError((_error, c) => c.text('', 403));
  app.use(async (c, next) => {
    // @ts-expect-error -- the middleware uses nothing else
    c.set('services', { clock: { now: () => times.shift() ?? 0 } });
    // @ts-expect-error -- the middleware uses nothing else
    c.set('account', { id: 'a' });
    c.set('requireStillAllowed', () => Promise.reject(new DomainError('forbidden', 'The key was revoked')));
    await next();
  });
  app.get('/', takeTurn, (c) => c.text(''));
  return (await app.request('/')).status;
}

it('authenticates the caller again after a long wait', async () => {
  expect(await statusAfter(1_001)).toBe(403);
});

it('does not after a short one', async () => {
  expect(await statusAfter(1_000)).toBe(200);
});
