import type { MiddlewareHandler } from 'hono';
import { DomainError } from './domain-error.ts';
import type { AppEnv } from './router.ts';

/** The period of the limit in wrangler.toml: by then the account has room again. */
const PERIOD_SECONDS = 60;

/**
 * Lets an account make as many requests a minute as wrangler.toml says, counted in each of the platform's locations by
 * itself. The limit is there against a client that has lost control, so where it cannot be asked the request passes.
 */
export const limitRate: MiddlewareHandler<AppEnv> = async (c, next) => {
  let success = true;
  try {
    ({ success } = await c.env.RATE_LIMITER.limit({ key: c.get('account').id }));
  } catch (error) {
    c.get('log').warn('rate_limit.unavailable', { error });
  }
  if (!success) {
    c.header('Retry-After', String(PERIOD_SECONDS));
    throw new DomainError('too-many', 'The account makes too many requests');
  }
  await next();
};
