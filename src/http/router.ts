import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { Context, Handler } from 'hono';
import { z } from 'zod';
import { servicesFor, type TenantServices } from '../services.ts';
import type { AppEnv } from './app-env.ts';
import { hasKey, refuseForm, unseenIssues } from './form-issues.ts';
import { refuseBody } from './request-body.ts';
import { newId } from '../core/record-id.ts';

/**
 * Creates a router that replies to invalid input with every issue, and whose routes with a key take no unknown query
 * parameter, and no field of a body if they have none.
 */
export function createRouter(): OpenAPIHono<AppEnv> {
  const router = new OpenAPIHono<AppEnv>();
  const add = router.openapi;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same types: only what is not in the query is refused
  router.openapi = ((given: RouteConfig, handler: never) => {
    const route = withClosedQuery(given);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as for `router.openapi`
    const run = (changesWithoutBody(route) ? withoutBody(handler) : handler) as never;
    return add(route, run, async (part, c) => {
      const unseen = await unseenIssues(part.target, route, c);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- valid input goes to the handler
      if (part.success && unseen.length === 0) return undefined as never;
      const { chains } = c.get('services');
      return await refuseForm(route, part, unseen, { c, chains });
    });
  }) as typeof router.openapi;
  return router;
}

/** Whether a route changes something and takes no body. Its middleware limits what is sent all the same. */
function changesWithoutBody({ method, request }: RouteConfig): boolean {
  return method !== 'get' && request?.body === undefined;
}

function withoutBody(handler: Handler<AppEnv>): Handler<AppEnv> {
  return async (c, next) => {
    await refuseBody(c);
    // oxlint-disable-next-line typescript/no-unsafe-return -- what a handler of a route returns
    return await handler(c, next);
  };
}

/**
 * A route that refuses query parameters that it does not know: a misspelt filter would otherwise show everything.
 * Public routes ignore them, because marketplaces and monitors add their own.
 */
function withClosedQuery(route: RouteConfig): RouteConfig {
  if (!hasKey(route)) return route;
  const query = route.request?.query ?? z.object({});
  return { ...route, request: { ...route.request, query: query instanceof z.ZodObject ? query.strict() : query } };
}

/** Creates the ids of the request's records; a retry with its Idempotency-Key gets the same ids. */
export function newIds(c: Context<AppEnv>): () => string {
  const { clock } = c.get('services');
  return c.get('keyed')?.ids() ?? (() => newId(clock.now()));
}

/** Whether an earlier attempt of the request, with the same Idempotency-Key, has made its change. */
export function isRetry(c: Context<AppEnv>): boolean {
  return c.get('keyed')?.isHeld === true;
}

/** The services of a request, scoped to its account. */
export function tenantServices(c: Context<AppEnv>): TenantServices {
  const request = {
    actor: c.get('actor'),
    account: c.get('account'),
    requireStillAllowed: c.get('requireStillAllowed'),
    log: c.get('log'),
    origin: new URL(c.req.url).origin,
    newId: newIds(c),
    isRetry: isRetry(c),
  };
  return servicesFor(c.get('services'), request, c.get('asked'));
}
