import { errorSchema } from './error-reply.ts';
import { jsonReply } from './json.ts';

const DESCRIPTIONS = {
  400: 'The input is invalid; `errors` lists every issue',
  401: 'A key is missing, wrong, revoked or expired, or the account header is missing',
  403: 'The account is unknown or inactive, the key may not do this, or this is not allowed here',
  404: 'The account has no such resource',
  409: 'The current state does not allow it',
  413: 'The body is over its size limit',
  415: 'The Content-Type is not supported',
  422: 'The Idempotency-Key was used with a different request',
  429: 'Too many requests from the account or the address; see Retry-After',
  502: 'A provider failed or did not answer',
  503: 'The data store does not answer',
} as const;

/**
 * The error replies of a route, for its OpenAPI definition. 403 implies 429, since every account is rate-limited; 413 implies
 * 415, since every route with a body checks its Content-Type.
 */
export function errorReplies<const Status extends keyof typeof DESCRIPTIONS>(...statuses: readonly Status[]) {
  const all = statuses.flatMap((status: keyof typeof DESCRIPTIONS) => {
    if (status === 403) return [status, 429 as const];
    return status === 413 ? [status, 415 as const] : [status];
  });
  const one = (status: keyof typeof DESCRIPTIONS) => jsonReply(DESCRIPTIONS[status], errorSchema);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries loses the key type
  return Object.fromEntries(all.map((status) => [status, one(status)])) as Record<Status, ReturnType<typeof one>>;
}
