import type { MiddlewareHandler } from 'hono';
import { Turns } from '../core/turns.ts';
import type { AppEnv } from './router.ts';

/** After a longer wait the caller is authenticated again, since its key may have been revoked. */
const LONG_MS = 1_000;

/** Of this instance of the Worker, which has one thread. */
const turns = new Turns();

/** Has the requests of accounts begin one after the other, accounts in turn: one with many requests leaves the others their share of the thread. */
export const takeTurn: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { clock } = c.get('services');
  const asked = clock.now();
  await turns.take(c.get('account').id);
  if (clock.now() - asked > LONG_MS) await c.get('requireStillAllowed')();
  await next();
};
