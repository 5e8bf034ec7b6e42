import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Account } from '../accounts/account.ts';
import type { Env } from '../platform/env.ts';
import type { Log } from '../core/log.ts';
import { servicesFor } from '../services.ts';
import type { Services, TenantServices } from '../services.ts';
import { issuesOf, invalidInput } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';

/** What the middleware in `app.ts` sets before a handler runs. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    services: Services;
    /** Has the request id, and the account id once it is known. */
    log: Log;
    /** Set on routes that require a corporate account. */
    account: Account;
    /** Set when the request has an Idempotency-Key. */
    newId: (() => string) | undefined;
    /** Set by a handler whose reply has a secret in it: it is stored encrypted. */
    hasSecretReply: true | undefined;
  };
}

/** Creates a router that replies to invalid input with every issue. */
export function createRouter(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      throw invalidInput(issuesOf(result.error));
    },
  });
}

/** The services of a request, scoped to its account. */
export function tenantServices(c: Context<AppEnv>): TenantServices {
  const services = c.get('services');
  return servicesFor(services, {
    account: c.get('account'),
    log: c.get('log'),
    origin: new URL(c.req.url).origin,
    newId: c.get('newId') ?? (() => newId(services.clock.now())),
  });
}
