import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { DomainError } from '../core/domain-error.ts';

/** Rejects a body over `bytes` with 413 before it is parsed, by its Content-Length if it has one. */
export function limitBody(bytes: number): MiddlewareHandler {
  return bodyLimit({
    maxSize: bytes,
    onError: () => {
      throw new DomainError('too-large', `The body is over the limit of ${Math.floor(bytes / 1_024)} KB`);
    },
  });
}
