import type { Context, Hono, MiddlewareHandler } from 'hono';
import { RECORD_ID } from '../core/record-id.ts';
import { noSitePage, toBrowsers } from './page-routes.ts';
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
    if (method !== 'OPTIONS' && !methodsIn(routesOf(app, c.req.path)).includes(method)) return await refuse(c);
    await next();
    return undefined;
  };
}

/**
 * The reply to what no route answers, 405 or 404, which is a page for browsers; both count against the address. A
 * misspelt `/minting/orderr` is not a `/minting/{id}` that has other methods.
 */
export function refuseRoute(app: Router): (c: Context<AppEnv>) => Promise<Response> {
  return async (c) => {
    await limitAddress(c, 'route');
    const allowed = methodsIn(routesOf(app, c.req.path).filter((route) => hasIds(route, c.req.path)));
    if (allowed.length > 0) return methodNotAllowedReply(c, allowed);
    return c.req.method === 'GET' || c.req.method === 'HEAD' ? await noPage(c) : notFoundReply(c);
  };
}

async function noPage(c: Context): Promise<Response> {
  const reply = await toBrowsers(noSitePage)(c, () => Promise.resolve());
  return reply instanceof Response ? reply : notFoundReply(c);
}

interface Route {
  readonly method: string;
  readonly path: string;
}

/**
 * The routes of a path. `/minting/order` is not `/minting/{id}`: only the routes count whose parameters come latest.
 */
function routesOf({ router }: Router, path: string): Route[] {
  const routes = METHODS.flatMap((method) => router.match(method, path)[0].map(([[, route]]) => route)).filter(
    ({ method }) => method !== 'ALL',
  );
  const [nearest] = routes.map(formOf).toSorted();
  return routes.filter((route) => formOf(route) === nearest);
}

function methodsIn(routes: readonly Route[]): string[] {
  return METHODS.filter((method) => routes.some((route) => route.method === method));
}

/** Whether a path has the id of a record wherever the route has one. */
function hasIds(route: Route, path: string): boolean {
  const parts = path.split('/');
  return route.path.split('/').every((part, index) => part !== ':id' || RECORD_ID.test(parts[index] ?? ''));
}

/** Which parts of a route's path are parameters. */
function formOf({ path }: Route): string {
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
