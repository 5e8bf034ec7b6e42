import type { Hono, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { limitAddress } from './address-limit.ts';
import { methodNotAllowedReply, notFoundReply } from './error-reply.ts';
import type { AppEnv } from './router.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Replies 405 for a method that a path does not have, and 404 when only middleware matches; both count against the address. Without this,
 * authentication would reply 401 for a path that does not exist.
 */
export function requireRoute({ router }: Pick<Hono<AppEnv>, 'router'>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    if (matchedRoutes(c).every(({ method }) => method === 'ALL')) {
      await limitAddress(c, 'route');
      const allowed = METHODS.filter((method) =>
        router.match(method, c.req.path)[0].some(([[, route]]) => route.method !== 'ALL'),
      );
      return allowed.length === 0 ? notFoundReply(c) : methodNotAllowedReply(c, allowed);
    }
    await next();
    return undefined;
  };
}
