import { tracing } from 'cloudflare:workers';
import type { MiddlewareHandler } from 'hono';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { traceIdOf, traceOf } from '../core/trace.ts';
import type { AppEnv } from './app-env.ts';
import { cors } from 'hono/cors';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';

/** Longer than any UUID or trace id. */
const REQUEST_ID_LENGTH = 64;

const identify = requestId({ limitLength: REQUEST_ID_LENGTH });

/**
 * Sets the id of a request for its log lines and its reply: the caller's X-Request-Id if it has up to 64 letters,
 * digits, `_`, `-` or `=`, otherwise a new one. So with the trace that it belongs to, by `traceparent`: the platform's
 * own spans are of other traces, and name it.
 */
export const requestIdentity: MiddlewareHandler<AppEnv> = async (c, next) => {
  const trace = traceOf(c.req.header('traceparent'));
  c.set('trace', trace);
  tracing.getActiveSpan()?.setAttribute('request.trace_id', traceIdOf(trace));
  await identify(c, next);
  // Hono's middleware does not set the header on a reply that a later handler replaces.
  c.header('X-Request-Id', c.get('requestId'));
  c.header('X-Trace-Id', traceIdOf(c.get('trace')));
};

/** What tells browsers to be careful with every reply. */
export const securityHeaders = secureHeaders({ crossOriginResourcePolicy: 'cross-origin' });

/** Sets `Cache-Control: no-store` on replies without Cache-Control: most are private to an account. */
export const noStoreByDefault: MiddlewareHandler = async (c, next) => {
  await next();
  if (!c.res.headers.has('cache-control')) c.header('Cache-Control', 'no-store');
};

/** Lets pages of any site read a public document. */
export const fromAnySite = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD'],
  exposeHeaders: ['ETag'],
  maxAge: 86_400,
});

/** Replies 304 to a client that has the document already; caches learn its age from that, too. */
export const unlessKnown = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, 'age', 'access-control-allow-origin', 'access-control-expose-headers'],
});
