import type { Context, MiddlewareHandler } from 'hono';
import { DomainError } from '../core/domain-error.ts';
import type { AppEnv } from './router.ts';

/** The period of every limit in wrangler.toml. */
const PERIOD_SECONDS = 60;

/** The classes of routes, each with the binding in wrangler.toml that limits it. */
const LIMITERS = {
  /** Database queries only. */
  standard: 'RATE_LIMITER',
  /** A transaction that is large or irreversible, or a new key. */
  deploy: 'DEPLOY_LIMITER',
  /** Recovers a signature and simulates the request. */
  relay: 'RELAY_LIMITER',
  /** Reads from the chain. */
  read: 'READ_LIMITER',
  /** Calls the NFT index provider. */
  index: 'INDEX_LIMITER',
  upload: 'UPLOAD_LIMITER',
  signature: 'SIGNATURE_LIMITER',
  webhook: 'WEBHOOK_LIMITER',
} as const;

export type RateClass = keyof typeof LIMITERS;

/** Limits an account's requests per minute in a class. The platform counts in each of its locations separately. */
export function limitRate(rateClass: RateClass): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    await countRequest(c, LIMITERS[rateClass], c.get('account').id, 'Too many requests of this kind from the account');
    await next();
  };
}

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
