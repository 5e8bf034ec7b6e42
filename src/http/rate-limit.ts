import type { Context, MiddlewareHandler } from 'hono';
import { DomainError } from '../core/domain-error.ts';
import { rateClassOf } from './rate-classes.ts';
import type { RateClass } from './rate-classes.ts';
import type { AppEnv } from './router.ts';

/** The period of every limit in wrangler.toml, after which there is room again. */
const PERIOD_SECONDS = 60;

const LIMITERS = {
  standard: 'RATE_LIMITER',
  deploy: 'DEPLOY_LIMITER',
  relay: 'RELAY_LIMITER',
  read: 'READ_LIMITER',
  index: 'INDEX_LIMITER',
  upload: 'UPLOAD_LIMITER',
  signature: 'SIGNATURE_LIMITER',
} as const satisfies Record<RateClass, string>;

/**
 * Lets an account make as many requests a minute of each class as wrangler.toml says, counted in each of the platform's
 * locations by itself.
 */
export const limitRate: MiddlewareHandler<AppEnv> = async (c, next) => {
  // A HEAD is answered, and costs, as the GET that it stands for.
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
  const limiter = LIMITERS[rateClassOf(`${method} ${c.req.path}`)];
  await countRequest(c, limiter, c.get('account').id, 'The account makes too many requests of this kind');
  await next();
};

/**
 * Counts a request. The limits are there against clients that have lost control, so where the platform's limiter cannot be
 * asked the request passes.
 * @param key What the requests are counted by.
 * @throws {DomainError} `too-many` when the limit is reached; the reply has Retry-After.
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
  throw new DomainError('too-many', message);
}
