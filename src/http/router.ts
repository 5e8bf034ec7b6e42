import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Account } from '../accounts/account.ts';
import type { Env } from '../platform/env.ts';
import type { Log } from '../core/log.ts';
import { servicesFor } from '../services.ts';
import type { Services, TenantServices } from '../services.ts';
import { faultsOf, invalidInput } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';

/** What the middleware of `app.ts` has set by the time a handler runs. */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    services: Services;
    /** Carries the request id, and the account's once it is known. */
    log: Log;
    /** Set by corporate authentication, on the routes that it guards. */
    account: Account;
    /** Set where the request carries an Idempotency-Key. */
    newId: (() => string) | undefined;
  };
}

/** A router whose routes answer a faulty input with every fault at once. */
export function createRouter(): OpenAPIHono<AppEnv> {
  return new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      throw invalidInput(faultsOf(result.error));
    },
  });
}

/** The services of a request, narrowed to the account that makes it. */
export function tenantServices(c: Context<AppEnv>): TenantServices {
  const services = c.get('services');
  return servicesFor(services, {
    account: c.get('account'),
    log: c.get('log'),
    origin: new URL(c.req.url).origin,
    newId: c.get('newId') ?? (() => newId(services.clock.now())),
  });
}
