import { errorSchema } from './error-reply.ts';

const DESCRIPTIONS = {
  400: 'The input is at fault; `errors` names every fault',
  401: 'A key or the account header is missing or wrong',
  403: 'The account is unknown or inactive, or this is not allowed here',
  404: 'No such resource of this account',
  409: 'The state of things forbids it now',
  413: 'The body is over its limit',
  422: 'The Idempotency-Key was used with another request',
  502: 'A provider failed or did not answer',
  503: 'The data store does not answer',
} as const;

/** The error replies of a route, for its OpenAPI definition. */
export function errorReplies<const Status extends keyof typeof DESCRIPTIONS>(...statuses: readonly Status[]) {
  const one = (status: Status) => ({
    description: DESCRIPTIONS[status],
    content: { 'application/json': { schema: errorSchema } },
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Object.fromEntries forgets which keys it was given
  return Object.fromEntries(statuses.map((status) => [status, one(status)])) as Record<Status, ReturnType<typeof one>>;
}
