import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { DomainError } from '../core/domain-error.ts';
import { rateClassOf } from './rate-classes.ts';
import type { RateClass } from './rate-classes.ts';
import type { AppEnv } from './router.ts';

/** The period of every limit in wrangler.toml. */
const PERIOD_SECONDS = 60;

const LIMITERS = {
  standard: 'RATE_LIMITER',
  deploy: 'DEPLOY_LIMITER',
  relay: 'RELAY_LIMITER',
  read: 'READ_LIMITER',
  index: 'INDEX_LIMITER',
  upload: 'UPLOAD_LIMITER',
  signature: 'SIGNATURE_LIMITER',
  webhook: 'WEBHOOK_LIMITER',
} as const satisfies Record<RateClass, string>;

/**
 * Limits an account's requests per minute and rate class, by the bindings in wrangler.toml. The platform counts in each of
 * its locations separately.
 */
export const limitRate: MiddlewareHandler<AppEnv> = async (c, next) => {
  // A HEAD request is handled, and costs, as its GET.
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  const route = matchedRoutes(c).find((matched) => matched.method !== 'ALL');
  const path = route?.path.replaceAll(/:(\w+)/g, '{$1}') ?? c.req.path;
  const limiter = LIMITERS[rateClassOf(`${method} ${path}`)];
  await countRequest(c, limiter, c.get('account').id, 'Too many requests of this kind from the account');
  await next();
};

/**
 * Counts a request against a limit. If the platform's limiter fails, the request passes.
 * @param key What the requests are counted by.
 * @throws {DomainError} `rate-limited` when the limit is reached; the reply has Retry-After.
 */
export async function countRequest(
  c: Context<AppEnv>,
  limiter: (typeof LIMITERS)[RateClass] | 'ADDRESS_LIMITER' | 'UNKNOWN_CONTRACT_LIMITER',
  key: string,
  message: string,
): Promise<void> {
  let success = true;
  try {
    ({ success } = await c.env[limiter].limit({ key }));
  } catch (error) {
    c.get('log').warn('rate_limit.unavailable', { limiter, error });
  }
  if (success) return;
  c.header('Retry-After', String(PERIOD_SECONDS));
  throw new DomainError('rate-limited', message);
}
