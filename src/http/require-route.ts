import type { Context, Hono, MiddlewareHandler } from 'hono';
import { limitAddress } from './rate-limit.ts';
import { methodNotAllowedReply, notFoundReply } from './error-reply.ts';
import type { AppEnv } from './app-env.ts';
import { matchedRoutes } from 'hono/route';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

type Router = Pick<Hono<AppEnv>, 'router'>;

/**
 * Replies 405 for a method that a path does not have, and 404 for a path that no route has. Without this,
 * authentication would reply 401 for a path that does not exist. Preflight requests pass: the routes that answer them
 * come later, and then {@link refuseRoute}.
 */
export function requireRoute(app: Router): MiddlewareHandler<AppEnv> {
  const refuse = refuseRoute(app);
  return async (c, next) => {
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method;
    if (method !== 'OPTIONS' && !methodsOf(app, c.req.path).includes(method)) return await refuse(c);
    await next();
    return undefined;
  };
}

/** The reply to what no route answers, 405 or 404; both count against the address. */
export function refuseRoute(app: Router): (c: Context<AppEnv>) => Promise<Response> {
  return async (c) => {
    await limitAddress(c, 'route');
    const allowed = methodsOf(app, c.req.path);
    return allowed.length === 0 ? notFoundReply(c) : methodNotAllowedReply(c, allowed);
  };
}

/**
 * The methods of a path. `/minting/order` is not `/minting/{id}`: only the routes count whose parameters come latest.
 */
function methodsOf({ router }: Router, path: string): string[] {
  const routes = METHODS.flatMap((method) => router.match(method, path)[0].map(([[, route]]) => route)).filter(
    ({ method }) => method !== 'ALL',
  );
  const [nearest] = routes.map(formOf).toSorted();
  return METHODS.filter((method) => routes.some((route) => route.method === method && formOf(route) === nearest));
}

/** Which parts of a route's path are parameters. */
function formOf({ path }: { readonly path: string }): string {
  return path
    .split('/')
    .map((part) => (part.startsWith(':') ? 1 : 0))
    .join('');
}

/**
 * The path of the route in the form of the API document, such as `/keys/{id}`: without anything that the caller wrote.
 */
export function routeOf(c: Context<AppEnv>): string {
  return (
    matchedRoutes(c)
      .at(-1)
      ?.path.replaceAll(/:(\w+)/g, '{$1}') ?? ''
  );
}
