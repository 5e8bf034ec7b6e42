import type { MiddlewareHandler } from 'hono';
import { DomainError } from '../core/domain-error.ts';

/**
 * Rejects a body that is not valid UTF-8 with 400. Decoding would silently replace invalid bytes with U+FFFD, so that
 * other text than the caller's would be stored and written on chain.
 */
export const requireUtf8: MiddlewareHandler = async (c, next) => {
  if (!isUtf8(await c.req.arrayBuffer())) throw new DomainError('malformed_body', 'The body is not valid UTF-8');
  return next();
};

function isUtf8(bytes: ArrayBuffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
