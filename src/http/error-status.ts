import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorKind } from '../core/error-codes.ts';

/** The status of each kind of error. */
export const ERROR_STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'wrong-method': 405,
  conflict: 409,
  outdated: 412,
  'too-large': 413,
  'wrong-media-type': 415,
  unprocessable: 422,
  'version-required': 428,
  'rate-limited': 429,
  internal: 500,
  upstream: 502,
  unavailable: 503,
} as const satisfies Record<ErrorKind, ContentfulStatusCode>;
