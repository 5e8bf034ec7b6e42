import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import {
  changeMark,
  collectionUrl,
  findCached,
  lifetimeOf,
  publicUrl,
  putUnlessChanged,
} from './catalog/metadata/document-cache.ts';
import { tokenOf } from './catalog/metadata/token-ids.ts';
import { tokenIdField } from './core/fields.ts';
import { systemClock } from './core/clock.ts';
import { temporarilyUnavailable } from './core/domain-error.ts';
import { createLog, type Log } from './core/log.ts';
import { redactionOf } from './core/redaction.ts';
import { type Trace, traceparentOf } from './core/trace.ts';
import { errorReply } from './http/error-reply.ts';
import { CERTIFICATE_CHECK_PATH, COLLECTION_PATH, pageRoutes } from './http/page-routes.ts';
import type { ReadDocument } from './http/pages.ts';
import { discardUnread } from './http/request-body.ts';
import { fromAnySite, noStoreByDefault, requestIdentity, securityHeaders, unlessKnown } from './http/reply-headers.ts';
import { parsePublicSettings } from './platform/public-settings.ts';
import { SettingsError } from './platform/setting-source.ts';

/** The edge's bindings; beside them it has the public settings, and no secret. */
export interface EdgeEnv {
  /** The built pages. */
  readonly ASSETS: Fetcher;
  /** The Worker of `worker.ts`, placed beside the database. */
  readonly CORE: Fetcher;
}

interface EdgeAppEnv {
  Bindings: EdgeEnv;
  Variables: { requestId: string; trace: Trace; log: Log; readDocument: ReadDocument };
}

/**
 * What callers may claim about themselves. The core must not even see it: the address of a caller is CF-Connecting-IP,
 * which Cloudflare sets.
 */
const CLAIMED = /^(?:x-forwarded-|x-real-ip$|forwarded$|true-client-ip$|x-client-ip$)/;

/** Public paths whose replies depend on nothing but the path. */
const SERVED_BY_URL = [
  '/openapi.json',
  '/schemas',
  '/schemas/:schemaVersion',
  '/issuers/:chainId/:contractAddress/:walletAddress',
  '/certificates/:contractAddress/:tokenId/revocation',
  '/certificates/:contractAddress/:tokenId/credential',
  '/credentials/status/:issuerId/:list',
  '/issuers/:issuerId/did.json',
  '/.well-known/did.json',
  '/collections/:chainId/:contractAddress',
  '/deployments/:chainId/:contractAddress',
];

/**
 * Hands a request over to the core, its body as it arrives.
 * @param without Names of headers that are left out.
 * @param request Default: the caller's.
 */
async function handOver(
  c: Context<EdgeAppEnv>,
  without: readonly string[] = [],
  request: Request = c.req.raw,
): Promise<Response> {
  const headers = new Headers(c.req.raw.headers);
  for (const name of c.req.raw.headers.keys()) if (CLAIMED.test(name) || without.includes(name)) headers.delete(name);
  headers.set('x-request-id', c.get('requestId'));
  headers.set('traceparent', traceparentOf(c.get('trace')));
  try {
    const reply = await c.env.CORE.fetch(new Request(request, { headers }));
    return new Response(reply.body, reply);
  } catch (error) {
    c.get('log').warn('edge.core_silent', { method: c.req.method, error });
    throw temporarilyUnavailable();
  }
}

/**
 * Serves what is public from this data center's cache, or else from the core, after which it is cached for as long as
 * the reply says. The core is asked for all of it, also by HEAD, which the cache would not serve otherwise.
 */
async function serveCached(
  c: Context<EdgeAppEnv>,
  url: string,
  request = new Request(c.req.raw, { method: 'GET' }),
): Promise<Response> {
  const cached = await findCached(url, systemClock.now());
  if (cached !== undefined) return cached;
  const mark = await changeMark(url);
  const askedAt = systemClock.now();
  // Whoever has the reply already gets 304 from here, once the cache has it too.
  const reply = await handOver(c, ['if-none-match'], request);
  if (reply.status === 200 && lifetimeOf(reply.headers) > 0) {
    const kept = new Response(reply.clone().body, reply);
    for (const name of ['age', 'x-request-id']) kept.headers.delete(name);
    const readAt = askedAt - Number(reply.headers.get('age') ?? 0) * 1_000;
    c.executionCtx.waitUntil(putUnlessChanged(url, kept, readAt, mark));
  }
  return reply;
}

const serveDocument: Handler<EdgeAppEnv, '/metadata/:contractAddress/:tokenId'> = async (c) => {
  const { contractAddress, tokenId } = c.req.param();
  const token = tokenOf(contractAddress, tokenId);
  // What can mean two tokens is the core's to decide.
  if (token === undefined) return await handOver(c);
  return await serveCached(c, publicUrl(parsePublicSettings(c.env), token));
};

const serveCollection: Handler<EdgeAppEnv, '/metadata/:contractAddress'> = async (c) => {
  const contractAddress = c.req.param('contractAddress').toLowerCase();
  return await serveCached(c, collectionUrl(parsePublicSettings(c.env), contractAddress));
};

const setReadDocument: MiddlewareHandler<EdgeAppEnv> = async (c, next) => {
  const settings = parsePublicSettings(c.env);
  const read = async (url: string, path: string) => {
    const reply = await serveCached(c, url, new Request(new URL(path, c.req.url)));
    return reply.ok ? await reply.text() : undefined;
  };
  c.set('readDocument', async (given, tokenId) => {
    const contractAddress = given.toLowerCase();
    if (tokenId === undefined) {
      return await read(collectionUrl(settings, contractAddress), `/metadata/${contractAddress}`);
    }
    const token = tokenOf(contractAddress, tokenId);
    return token && (await read(publicUrl(settings, token), `/metadata/${token.contractAddress}/${token.tokenId}`));
  });
  await next();
};

/**
 * The URL of what a request names, without its query: one for all ways of writing it, so that nobody fills the cache
 * with copies and has the core asked for each. Undefined for what cannot be read.
 */
function canonicalUrl(c: Context<EdgeAppEnv>): string | undefined {
  const { origin, pathname } = new URL(c.req.url);
  try {
    const parts = pathname.split('/').map((part) => decodeURIComponent(part));
    return `${origin}${parts.map((part) => encodeURIComponent(ADDRESS.test(part) ? part.toLowerCase() : part)).join('/')}`;
  } catch {
    return undefined;
  }
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;

const serveByUrl: Handler<EdgeAppEnv> = async (c) => {
  const url = canonicalUrl(c);
  return url === undefined ? await handOver(c) : await serveCached(c, url);
};

const serveTokens: Handler<EdgeAppEnv> = async (c) => {
  const url = canonicalUrl(c);
  const before = c.req.query('before');
  // What is no token id is the core's to refuse.
  if (url === undefined || (before !== undefined && !tokenIdField.safeParse(before).success)) return await handOver(c);
  return await serveCached(c, `${url}${before === undefined ? '' : `?before=${before}`}`);
};

function createEdge(): Hono<EdgeAppEnv> {
  const edge = new Hono<EdgeAppEnv>();
  edge.onError((error, c) => {
    if (error instanceof SettingsError) c.get('log').error('settings.invalid', { issues: error.issues });
    return errorReply(error, c);
  });
  edge.use(discardUnread, requestIdentity, securityHeaders, noStoreByDefault, async (c, next) => {
    c.set('log', createLog(redactionOf(c.env), { requestId: c.get('requestId') }));
    await next();
  });
  for (const path of [CERTIFICATE_CHECK_PATH, COLLECTION_PATH]) edge.use(path, setReadDocument);
  edge.route('/', pageRoutes);
  const document = '/metadata/:contractAddress{0[xX][0-9a-fA-F]{40}}/:tokenId';
  // The core may have the same cache, and its documents have none of these headers there.
  edge.use(document, fromAnySite, unlessKnown);
  edge.get(document, serveDocument);
  const collection = '/metadata/:contractAddress{0[xX][0-9a-fA-F]{40}}';
  edge.use(collection, fromAnySite, unlessKnown);
  edge.get(collection, serveCollection);
  for (const path of SERVED_BY_URL) edge.get(path, serveByUrl);
  edge.get('/collections/:chainId/:contractAddress/tokens', serveTokens);
  edge.all('*', (c) => handOver(c));
  return edge;
}

const edgeApp = createEdge();
const ignore = () => {};

export default {
  fetch(request, env, context) {
    const response = Promise.resolve(edgeApp.fetch(request, env, context));
    // A caller who hangs up must not end what the core does.
    context.waitUntil(response.then(ignore, ignore));
    return response;
  },
} satisfies ExportedHandler<EdgeEnv>;
