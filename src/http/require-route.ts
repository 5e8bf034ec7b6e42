import type { MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { notFoundReply } from './error-reply.ts';
import type { AppEnv } from './router.ts';

/** Answers 404 where nothing but middleware matches: without it, authentication would answer 401 as if a key could help. */
export const requireRoute: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (matchedRoutes(c).every(({ method }) => method === 'ALL')) return notFoundReply(c);
  await next();
  return undefined;
};
