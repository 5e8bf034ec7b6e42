import type { MiddlewareHandler } from 'hono';
import { DomainError } from '../core/domain-error.ts';
import type { AppEnv } from './app-env.ts';

/** Refuses the routes that sign on the server, which are for tests, unless TRANSFER_TEST_SIGNATURE is true. */
export const requireTestSignatures: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!c.get('services').settings.TRANSFER_TEST_SIGNATURE) {
    throw new DomainError(
      'test_signatures_disabled',
      'Signing on the server is for tests: TRANSFER_TEST_SIGNATURE is not true',
    );
  }
  await next();
};
