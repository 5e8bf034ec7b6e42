import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { DomainError } from '../core/domain-error.ts';
import { fromCaller } from './from-caller.ts';

/**
 * Reads a body for the handlers that follow. Rejects one over `bytes` with 413, by its Content-Length if it has one,
 * and one that breaks off with 400.
 */
export function limitBody(bytes: number): MiddlewareHandler {
  const limit = bodyLimit({
    maxSize: bytes,
    onError: () => {
      throw new DomainError('too_large', `The body is over the limit of ${Math.floor(bytes / 1_024)} KB`);
    },
  });
  return async (c, next) => {
    await fromCaller(limit(c, async () => void (await c.req.arrayBuffer())));
    await next();
  };
}
