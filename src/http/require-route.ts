import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { notFoundReply } from './error-reply.ts';
import type { AppEnv } from './router.ts';

/** Replies 404 when only middleware matches. Without this, authentication would reply 401 for a path that does not exist. */
export const requireRoute: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (matchedRoutes(c).every(({ method }) => method === 'ALL')) return notFoundReply(c);
  await next();
  return undefined;
};
