import type { Log } from '../core/log.ts';
import type { Env } from './env.ts';

/** The period of every limit in wrangler.toml. */
export const LIMIT_PERIOD_SECONDS = 60;

/** A binding in wrangler.toml that limits requests. */
type Limiter = Extract<keyof Env, `${string}_LIMITER`>;

/**
 * Counts one more against a limit. If the platform's limiter fails, it passes.
 * @param key What is counted separately. @returns whether it is within the limit.
 */
export async function isWithinLimit(
  env: Pick<Env, Limiter>,
  limiter: Limiter,
  key: string,
  log: Log,
): Promise<boolean> {
  try {
    return (await env[limiter].limit({ key })).success;
  } catch (error) {
    log.warn('rate_limit.unavailable', { limiter, error });
    return true;
  }
}
