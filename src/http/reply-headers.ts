import type { MiddlewareHandler } from 'hono';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';

/** Longer than any UUID or trace id. */
const REQUEST_ID_LENGTH = 64;

const identify = requestId({ limitLength: REQUEST_ID_LENGTH });

/**
 * Sets the id of a request for its log lines and its reply: the caller's X-Request-Id if it has up to 64 letters, digits,
 * `_`, `-` or `=`, otherwise a new one.
 */
export const requestIdentity: MiddlewareHandler = async (c, next) => {
  await identify(c, next);
  // Hono's middleware does not set the header on a reply that a later handler replaces.
  c.header('X-Request-Id', c.get('requestId'));
};

/** What tells browsers to be careful with every reply. */
export const securityHeaders = secureHeaders({ crossOriginResourcePolicy: 'cross-origin' });

/** Sets `Cache-Control: no-store` on replies without Cache-Control: most are private to an account. */
export const noStoreByDefault: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.has('cache-control')) c.header('Cache-Control', 'no-store');
};
