import type { RouteConfig } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { type Access, scopesOf } from '../accounts/actor.ts';
import { corporateSecurity, requireCorporateAccount } from './authentication.ts';
import { limitRate, type RateClass } from './rate-limit.ts';
import { measureRequest } from './measure-request.ts';
import { recordChange } from './record-change.ts';
import type { AppEnv } from './app-env.ts';

/** The definition of a route of an account. */
type CorporateRoute = Omit<RouteConfig, 'security' | 'middleware'> &
  Access & {
    /** The rate limit that its requests count in. Default: `standard`. */
    readonly rateClass?: RateClass;
    /** What runs once the caller is known; {@link jsonBody} and {@link creatingBody} give that of a body. */
    readonly middleware?: readonly MiddlewareHandler<AppEnv>[];
  };

/**
 * Defines a route of an account. The caller is authenticated, and the request counted, before the body is read. A
 * change that is asked for is recorded. No other route has an account.
 */
export function corporateRoute<const Route extends CorporateRoute>(route: Route) {
  const { scope, orScope, isForAdmin, rateClass = 'standard', middleware = [], ...definition } = route;
  const access = {
    scope,
    ...(orScope === undefined ? {} : { orScope }),
    ...(isForAdmin === undefined ? {} : { isForAdmin }),
  };
  const names = scopesOf(access)
    .map((name) => `\`${name}\``)
    .join(' or ');
  const guards: MiddlewareHandler<AppEnv>[] = [
    measureRequest,
    requireCorporateAccount(access),
    limitRate(rateClass),
    recordChange(scope, successStatus(definition.responses)),
    ...middleware,
  ];
  return {
    ...definition,
    description: [definition.description, `Scope: ${names}.`].filter(Boolean).join(' '),
    security: corporateSecurity(access),
    'x-scopes': scopesOf(access),
    'x-rate-class': rateClass,
    middleware: guards,
  };
}

/**
 * The status of the reply when a change is made: the highest of success, since 200 beside 201 is the reply to a
 * repeated request.
 */
function successStatus(responses: RouteConfig['responses']): number {
  return Math.max(
    ...Object.keys(responses)
      .map(Number)
      .filter((status) => status < 300),
  );
}
