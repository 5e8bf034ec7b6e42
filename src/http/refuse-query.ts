import type { MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { invalidInput, issuesOf } from '../core/domain-error.ts';

const noParameters = z.strictObject({});

/** Refuses every query parameter, as the routes do that the router mounts by their definition. */
export const refuseQuery: MiddlewareHandler = async ({ req }, next) => {
  const { error } = noParameters.safeParse(Object.fromEntries(new URL(req.url).searchParams));
  if (error !== undefined) throw invalidInput(issuesOf(error, 'query parameter'));
  await next();
};
