import { NeonDbError } from '@neondatabase/serverless';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { Assumptions } from '../platform/database/assumptions.ts';
import type { AppEnv } from './app-env.ts';
import { confirmed } from './confirmed.ts';

/** How often what a request assumes is asked of the database after its handler has failed. */
async function confirmationsAfter(error: Error): Promise<number> {
  const assumptions = new Assumptions();
  let checks = 0;
  assumptions.check = () => {
    checks += 1;
    return Promise.resolve();
  };
  const app = new Hono<AppEnv>();
  app.onError((_, c) => c.text('failed', 500));
  app.use(async (c, next) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the handler of this test uses
    c.set('services', { db: { sql: { $client: {} } } } as never);
    c.set('assumptions', assumptions);
    await next();
  });
  app.get(
    '/',
    confirmed(async () => {
      throw error;
    }),
  );
  expect((await app.request('/')).status).toBe(500);
  return checks;
}

it('a refusal waits until it is confirmed', async () => {
  expect(await confirmationsAfter(new Error('refused'))).toBe(1);
});

it('that the database does not answer is not asked of it once more', async () => {
  const cause = Object.assign(new NeonDbError('failed'), { code: '57P03' });
  expect(await confirmationsAfter(new Error('Failed query', { cause }))).toBe(0);
});
