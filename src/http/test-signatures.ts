import type { MiddlewareHandler } from 'hono';
import { DomainError } from '../core/domain-error.ts';
import type { AppEnv } from './router.ts';

/** Closes the routes that sign on the server, which only tests need, unless the setting opens them. */
export const requireTestSignatures: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!c.get('services').settings.TRANSFER_TEST_SIGNATURE) {
    throw new DomainError('forbidden', 'Signing on the server is for tests: TRANSFER_TEST_SIGNATURE is not true');
  }
  await next();
};
