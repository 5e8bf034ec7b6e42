import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Env } from '../platform/env.ts';
import type { AskedChange } from '../platform/database/client.ts';
import type { Log } from '../core/log.ts';
import { servicesFor, type Services, type TenantServices } from '../services.ts';
import type { Assumptions } from '../platform/database/assumptions.ts';
import { confirmed } from './confirmed.ts';
import type { KeyedRequest } from './idempotency.ts';
import { refuseForm } from './form-issues.ts';
import { newId } from '../core/record-id.ts';

/** What a retry with the same Idempotency-Key gets. */
export interface Replay {
  readonly statusCode: number;
  readonly body: string;
}

/** What the middleware in `app.ts` sets before a handler runs. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    services: Services;
    requestId: string;
    /** Has the request id, and the account id once it is known. */
    log: Log;
    /** Set once the caller is known. */
    actor: Actor;
    /** Set on routes of an account, and on routes of the admin that find it by a record. */
    account: Account;
    /** These two are set on routes of an account. */
    assumptions: Assumptions;
    /** @throws {DomainError} if the caller may no longer make the request. Without assumptions, nothing older than a second is assumed. */
    authenticateAgain: (assumptions?: Assumptions) => Promise<void>;
    /** Set when the request asks for a change. */
    asked: AskedChange | undefined;
    /** SHA-256, in hex; set once the body of such a request has been read. */
    bodyHash: string | undefined;
    /** Set when the request has an Idempotency-Key. */
    keyed: KeyedRequest | undefined;
    /** Set when the response has a secret that is not stored: what a retry with the same Idempotency-Key gets instead. */
    replay: Replay | undefined;
    /** Set when the response has a secret that a retry gets again: the response is stored encrypted. */
    hasSecretReply: true | undefined;
  };
}

const noNext = () => Promise.resolve();

/** Creates a router that replies to invalid input with every issue, and whose routes with a key take no unknown query parameter. */
export function createRouter(): OpenAPIHono<AppEnv> {
  const router = new OpenAPIHono<AppEnv>();
  const add = router.openapi;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same types: only what is not in the query is refused
  router.openapi = ((given: RouteConfig, handler: never) => {
    const route = withClosedQuery(given);
    const refuse = refuseForm<AppEnv>(route, (c) => c.get('services').chains);
    return add(route, confirmed(handler) as never, (result, c) =>
      result.success ? undefined : confirmed(() => refuse(result, c))(c, noNext),
    );
  }) as typeof router.openapi;
  return router;
}

/**
 * A route that refuses query parameters that it does not know: a misspelt filter would otherwise show everything. Public routes ignore them,
 * because marketplaces and monitors add their own.
 */
function withClosedQuery(route: RouteConfig): RouteConfig {
  if (route.security === undefined || route.security.length === 0) return route;
  const query = route.request?.query ?? z.object({});
  return { ...route, request: { ...route.request, query: query instanceof z.ZodObject ? query.strict() : query } };
}

/** Creates the ids of the request's records; a retry with its Idempotency-Key gets the same ids. */
export function newIds(c: Context<AppEnv>): () => string {
  const { clock } = c.get('services');
  return c.get('keyed')?.ids() ?? (() => newId(clock.now()));
}

/** The services of a request, scoped to its account. */
export function tenantServices(c: Context<AppEnv>): TenantServices {
  const services = c.get('services');
  const request = {
    actor: c.get('actor'),
    account: c.get('account'),
    requireStillAllowed: c.get('authenticateAgain'),
    log: c.get('log'),
    origin: new URL(c.req.url).origin,
    newId: newIds(c),
    isRetry: c.get('keyed')?.isHeld === true,
  };
  return servicesFor(services, request, { asked: c.get('asked'), assumptions: c.get('assumptions') });
}
