import { errorSchema } from './error-reply.ts';

const DESCRIPTIONS = {
  400: 'The input is at fault; `errors` names every fault',
  401: 'A key or the account header is missing or wrong',
  403: 'The account is unknown or inactive, or this is not allowed here',
  404: 'No such resource of this account',
  409: 'The state of things forbids it now',
  413: 'The body is over its limit',
  415: 'The Content-Type is not the one of this body',
  422: 'The Idempotency-Key was used with another request',
  429: 'Too many requests of the account, or from the address; Retry-After says when to try again',
  502: 'A provider failed or did not answer',
  503: 'The data store does not answer',
} as const;

/**
 * The error replies of a route, for its OpenAPI definition. Where an account can be refused, it can be slowed down too; and
 * where a body can be too large, it can be of the wrong type.
 */
export function errorReplies<const Status extends keyof typeof DESCRIPTIONS>(...statuses: readonly Status[]) {
  const all = statuses.flatMap((status: keyof typeof DESCRIPTIONS) => {
    if (status === 403) return [status, 429 as const];
    return status === 413 ? [status, 415 as const] : [status];
  });
  const one = (status: keyof typeof DESCRIPTIONS) => ({
    description: DESCRIPTIONS[status],
    content: { 'application/json': { schema: errorSchema } },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries forgets which keys it was given
  return Object.fromEntries(all.map((status) => [status, one(status)])) as Record<Status, ReturnType<typeof one>>;
}
