import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { AppEnv } from './app-env.ts';

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
