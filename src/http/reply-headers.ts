import type { MiddlewareHandler } from 'hono';
import { requestId } from 'hono/request-id';

/** Longer than any UUID or trace id. */
const REQUEST_ID_LENGTH = 64;

const identify = requestId({ limitLength: REQUEST_ID_LENGTH });

/**
 * Gives a request the id that the log has and the reply names: the caller's X-Request-Id where it is up to 64 letters,
 * digits, `_`, `-` and `=`, else a new one.
 */
export const requestIdentity: MiddlewareHandler = async (c, next) => {
  await identify(c, next);
  // A reply that was kept, or that another part of the service made, comes without it.
  c.header('X-Request-Id', c.get('requestId'));
};

/** Keeps every reply that does not say how it may be cached out of every cache: most are for one account's eyes. */
export const uncachedUnlessSaid: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.has('cache-control')) c.header('Cache-Control', 'no-store');
};
