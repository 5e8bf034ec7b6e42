import type { MiddlewareHandler } from 'hono';
import { DomainError } from '../core/domain-error.ts';

/**
 * Refuses a body that is not UTF-8 with 400. Read as text, its broken bytes would become U+FFFD, and names that nobody
 * wrote would be stored and sent on chain.
 */
export const requireUtf8: MiddlewareHandler = async (c, next) => {
  if (!isUtf8(await c.req.arrayBuffer())) throw new DomainError('invalid', 'The body is not valid UTF-8');
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
