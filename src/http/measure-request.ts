import type { MiddlewareHandler } from 'hono';
import type { Account } from '../accounts/account.ts';
import { countRequest } from '../core/tally.ts';
import { storeTalliesLater } from '../platform/database/tallies.ts';
import type { AppEnv } from './app-env.ts';
import { routeOf } from './require-route.ts';

/**
 * Counts the requests of a route by how long they take and how they end, for GET /admin/metrics, without those of
 * nobody who is known: these cause no work of the database. On the platform, time stands still while a program
 * computes: what it does after it has last waited is not seen.
 */
export const measureRequest: MiddlewareHandler<AppEnv> = async (c, next) => {
  const services = c.get('services');
  const started = services.clock.now();
  await next();
  const account: Account | undefined = c.get('account');
  if (account === undefined && c.res.status < 500) return;
  const status = `${Math.floor(c.res.status / 100)}xx`;
  countRequest(`${c.req.method} ${routeOf(c)} ${status}`, services.clock.now() - started);
  storeTalliesLater(services);
};
