import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Account } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Env } from '../platform/env.ts';
import type { AskedChange } from '../platform/database/asked-change.ts';
import type { Log } from '../core/log.ts';
import { servicesFor } from '../services.ts';
import type { Services, TenantServices } from '../services.ts';
import { issuesOf, invalidInput } from '../core/domain-error.ts';
import { newId } from '../core/ids.ts';

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
    /** These two are set on routes of an account; the account also on routes of the admin that find it by a record. */
    account: Account;
    requireStillAllowed: TenantServices['requireStillAllowed'];
    /** Set when the request asks for a change. */
    asked: AskedChange | undefined;
    /** SHA-256, in hex; set once the body of such a request has been read. */
    bodyHash: string | undefined;
    /** Set when the request has an Idempotency-Key. */
    newId: (() => string) | undefined;
    /** Set when the response has a secret that is not stored: what a retry with the same Idempotency-Key gets instead. */
    replay: Replay | undefined;
    /** Set when the response has a secret that a retry gets again: the response is stored encrypted. */
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
  const request = {
    actor: c.get('actor'),
    account: c.get('account'),
    requireStillAllowed: c.get('requireStillAllowed'),
    log: c.get('log'),
    origin: new URL(c.req.url).origin,
    newId: c.get('newId') ?? (() => newId(services.clock.now())),
  };
  return servicesFor(services, request, c.get('asked'));
}
