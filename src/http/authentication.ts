import type { Context, MiddlewareHandler } from 'hono';
import { type Access, type Actor, mayUse } from '../accounts/actor.ts';
import type { Credentials } from '../accounts/authenticator.ts';
import { countRequest, limitAddress } from './rate-limit.ts';
import { asksForChange, recordRefusal } from './record-change.ts';
import { DomainError } from '../core/domain-error.ts';
import type { AppEnv } from './app-env.ts';

/** OpenAPI security requirements, for route definitions. */
export const adminSecurity = [{ adminKey: [] }];

/** The security requirements of a route of an account. `x-scopes` beside them names the scopes: roles are for OAuth. */
export function corporateSecurity(access: Access) {
  return [
    ...(mayUse({ type: 'operator' }, access) ? [{ apiKey: [], corporateId: [] }] : []),
    ...(mayUse({ type: 'admin' }, access) ? [{ adminKey: [], corporateId: [] }] : []),
    { accountKey: [] },
  ];
}

function credentialsOf(c: Context<AppEnv>): Credentials {
  return { header: (name) => c.req.header(name), countGuess: (what) => limitAddress(c, what) };
}

/**
 * Requires a key that may use the routes of a scope, and an active account: a key of the account itself, or one of the
 * service's keys and the name of the account.
 */
export function requireCorporateAccount(access: Access): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const findCaller = () => c.get('authenticator').findCaller(credentialsOf(c), access);
    const { actor, account, refusal } = await findCaller();
    const keyId = actor.type === 'key' ? actor.key.id : undefined;
    c.set('actor', actor);
    c.set('account', account);
    c.set('log', c.get('log').with({ accountId: account.id, actor: actor.type, keyId }));
    if (refusal !== undefined) {
      await countRefusal(c, actor);
      if (asksForChange(c, access.scope)) await recordRefusal(c, 403);
      throw refusal;
    }
    c.set('requireStillAllowed', async () => {
      const again = await findCaller();
      if (again.refusal !== undefined) throw again.refusal;
      // What the request has begun, its Idempotency-Key and its row in the audit log, is of that account.
      if (again.account.id !== account.id) {
        throw new DomainError('forbidden', 'X-CORPORATE-ID now names another account: send the request again');
      }
    });
    await next();
  };
}

/**
 * Counted apart from what may be asked for: a key with few scopes must use up neither that nor what other keys are
 * refused.
 */
async function countRefusal(c: Context<AppEnv>, actor: Actor): Promise<void> {
  const key = actor.type === 'key' ? actor.key.id : `${actor.type}:${c.get('account').id}`;
  const subject = { limiter: 'REFUSAL_LIMITER', policy: 'refused', key } as const;
  await countRequest(c, subject, 'Too many requests that this key is not allowed to make');
}

/**
 * Authenticates again once the body has arrived: the key may have been revoked, or the account deactivated, in the
 * meantime.
 */
export const requireStillAllowed: MiddlewareHandler<AppEnv> = async (c, next) => {
  await c.get('requireStillAllowed')();
  await next();
};

export const requireAdmin: MiddlewareHandler<AppEnv> = async (c, next) => {
  await c.get('authenticator').requireAdmin(credentialsOf(c));
  c.set('actor', { type: 'admin' });
  await next();
};
