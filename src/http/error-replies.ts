import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorKind } from '../core/error-codes.ts';

export const ERROR_STATUS = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'wrong-method': 405,
  'too-slow': 408,
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

/** The error replies, by status: the name of the component in the API document, and when each is sent. */
export const ERROR_REPLIES = {
  400: { name: 'BadRequest', when: 'The input is invalid; `errors` lists every issue' },
  401: {
    name: 'Unauthorized',
    when: 'A key is missing, wrong, revoked or expired, or the account header is missing',
  },
  403: {
    name: 'Forbidden',
    when: 'The account is unknown or inactive, the key may not do this, or this is not allowed here; `errors` names a limit of the account that does not allow it',
  },
  404: { name: 'NotFound', when: 'The account has no such resource' },
  408: { name: 'BodyTooSlow', when: 'The body arrives too slowly, or stops' },
  409: { name: 'Conflict', when: 'The current state does not allow it' },
  412: { name: 'PreconditionFailed', when: 'If-Match does not name the current version' },
  413: { name: 'TooLarge', when: 'The body is over its size limit' },
  415: { name: 'UnsupportedMediaType', when: 'The Content-Type is not supported' },
  422: { name: 'IdempotencyKeyReused', when: 'The Idempotency-Key was used with a different request' },
  428: { name: 'PreconditionRequired', when: 'If-Match is missing' },
  429: {
    name: 'TooManyRequests',
    when: 'Too many requests from the account or the address, or a limit of the account is reached, which `errors` names; see Retry-After',
  },
  500: { name: 'InternalError', when: 'An unexpected failure; the log of the service has it under X-Request-Id' },
  502: { name: 'UpstreamFailed', when: 'A provider failed or did not answer' },
  503: { name: 'Unavailable', when: 'The service does not answer, see Retry-After; or its settings are invalid' },
} as const;

type Status = keyof typeof ERROR_REPLIES;

/** For routes that take no input: the only refusals that are the caller's fault. */
export const REFUSED_EARLY = {
  '4XX': {
    description: 'Rejected by the platform before the service reads it, for example because its headers are too long',
  },
} as const;

/**
 * The error replies of a route, for its OpenAPI definition. 403 implies 429, since every account is rate-limited; 413
 * implies 408 and 415, since every route with a body waits for it and checks its Content-Type. Any route can fail with
 * 500 and 503.
 */
export function errorReplies<const Given extends Status>(...statuses: readonly Given[]) {
  const all = statuses.flatMap((status: Status): Status[] => {
    if (status === 403) return [403, 429];
    return status === 413 ? [408, 413, 415] : [status];
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries loses the key type
  return Object.fromEntries(
    [...all, 500 as const, 503 as const].map((status) => [
      status,
      { $ref: `#/components/responses/${ERROR_REPLIES[status].name}` },
    ]),
  ) as Record<Given, { $ref: string }>;
}
