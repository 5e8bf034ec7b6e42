import { cors } from 'hono/cors';
import { RETAINED_304_HEADERS, etag } from 'hono/etag';

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
