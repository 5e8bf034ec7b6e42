import type { Context, MiddlewareHandler } from 'hono';
import { ensureAccount } from '../accounts/accounts.store.ts';
import { mayComeFrom } from '../accounts/account-key.ts';
import { type Access, type Actor, mayUse } from '../accounts/actor.ts';
import type { Scope } from '../core/scope.ts';
import { isKeySecret, keyHash } from '../accounts/key-secret.ts';
import { localAccount } from '../accounts/local-account.ts';
import { requireActive } from '../accounts/account-directory.ts';
import type { Account } from '../accounts/account.ts';
import { countRequest, limitAddress } from './rate-limit.ts';
import { asksForChange, recordRefusal } from './record-change.ts';
import { DomainError } from '../core/domain-error.ts';
import type { ErrorCode } from '../core/error-codes.ts';
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

/** The scopes of which a key of the account needs one. */
export function scopesOf({ scope, orScope }: Access): Scope[] {
  return orScope === undefined ? [scope] : [scope, orScope];
}

/**
 * Requires a key that may use the routes of a scope, and an active account: a key of the account itself, or one of the
 * service's keys and the name of the account.
 */
export function requireCorporateAccount(access: Access): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const { actor, account, refusal } = await authenticate(c, access);
    const keyId = actor.type === 'key' ? actor.key.id : undefined;
    c.set('actor', actor);
    c.set('account', account);
    c.set('log', c.get('log').with({ accountId: account.id, actor: actor.type, keyId }));
    if (refusal !== undefined) {
      await countRefusal(c, actor);
      if (asksForChange(c, access.scope)) await recordRefusal(c, 403);
      throw refusal;
    }
    if (keyId !== undefined) c.get('services').accountKeys.noteUse(keyId);
    c.set('requireStillAllowed', async () => {
      const again = await authenticate(c, access);
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

/** Requires the admin key. */
export const requireAdmin: MiddlewareHandler<AppEnv> = async (c, next) => {
  await requireAdminKey(c);
  c.set('actor', { type: 'admin' });
  await next();
};

async function requireAdminKey(c: Context<AppEnv>): Promise<void> {
  if (await matchesAny(c.req.header('x-admin-secret-key'), [c.get('services').settings.ADMIN_SECRET_KEY])) return;
  await limitAddress(c, 'key');
  throw refusedKey(c, 'x-admin-secret-key', ['admin_key_missing', 'admin_key_invalid']);
}

interface Caller {
  readonly actor: Actor;
  readonly account: Account;
  /** Why the caller, who is known, may not make this request. */
  readonly refusal?: DomainError | undefined;
}

async function authenticate(c: Context<AppEnv>, access: Access): Promise<Caller> {
  const caller = await identify(c, access);
  if (caller.refusal !== undefined || mayUse(caller.actor, access)) return caller;
  const refusal = new DomainError(
    'scope_missing',
    `This requires an account key with the scope ${scopesOf(access).join(' or ')}`,
  );
  return { ...caller, refusal };
}

async function identify(c: Context<AppEnv>, access: Access): Promise<Caller> {
  if (headerOf(c, 'x-admin-secret-key') !== undefined && mayUse({ type: 'admin' }, access)) {
    await requireAdminKey(c);
    return { actor: { type: 'admin' }, account: await namedAccount(c) };
  }
  const given = c.req.header('x-api-key');
  if (await matchesAny(given, c.get('services').settings.GLOBAL_SECRET_KEY)) {
    return { actor: { type: 'operator' }, account: await namedAccount(c) };
  }
  const caller = given !== undefined && isKeySecret(given) ? await keyHolder(c, given) : undefined;
  if (caller !== undefined) return caller;
  await limitAddress(c, 'key');
  throw refusedKey(c, 'x-api-key', ['api_key_missing', 'api_key_invalid']);
}

/** Why a key was not accepted, as far as the caller's own headers tell. Nothing is said about the keys that exist. */
function refusedKey(
  c: Context<AppEnv>,
  header: 'x-api-key' | 'x-admin-secret-key',
  [missing, invalid]: readonly [ErrorCode, ErrorCode],
): DomainError {
  const given = c.req.header(header);
  if (given !== undefined && /^Bearer\b/i.test(given)) {
    return new DomainError('bearer_not_supported', `The header ${header} must contain only the key, without "Bearer"`);
  }
  if (headerOf(c, header) !== undefined) return new DomainError(invalid, `The key in ${header} is not valid`);
  return headerOf(c, 'authorization') === undefined
    ? new DomainError(missing, `The header ${header} is ${given === undefined ? 'missing' : 'empty'}`)
    : new DomainError('bearer_not_supported', `The header Authorization is not supported: send the key in ${header}`);
}

/** @returns undefined when the key is no account's, is revoked or has expired. */
async function keyHolder(c: Context<AppEnv>, secret: string): Promise<Caller | undefined> {
  const { accountKeys, clock } = c.get('services');
  const owner = await accountKeys.find(await keyHash(secret), () => limitAddress(c, 'lookup'));
  if (owner === undefined) return undefined;
  const { key, account, isActive } = owner;
  if (key.expiresAt !== null && key.expiresAt.getTime() <= clock.now()) return undefined;
  const name = headerOf(c, 'x-corporate-id');
  return { actor: { type: 'key', key }, account, refusal: refusalOf() };

  function refusalOf(): DomainError | undefined {
    if (!mayComeFrom(key, c.req.header('cf-connecting-ip'))) {
      return new DomainError('address_not_allowed', 'The key cannot be used from this address');
    }
    if (name !== undefined && ![account.corporateId, account.id].includes(name)) {
      return new DomainError('forbidden', 'The key does not belong to the account in X-CORPORATE-ID');
    }
    return isActive ? undefined : new DomainError('account_inactive', 'The corporate account is inactive');
  }
}

/** @returns the account in X-CORPORATE-ID; without the header, the built-in account where the settings have its key. */
async function namedAccount(c: Context<AppEnv>): Promise<Account> {
  const services = c.get('services');
  const name = headerOf(c, 'x-corporate-id');
  if (name !== undefined) return await requireActive(services.accounts, name);
  const privateKey = services.settings.LOCAL_DEV_PRIVATE_KEY;
  if (privateKey === undefined) throw new DomainError('account_header_missing', 'The header X-CORPORATE-ID is missing');
  const account = localAccount(privateKey);
  await ensureAccount(services.db, account, services.encryption);
  return account;
}

/** The header's value; undefined also if it is empty, as where a caller's variable is not set. */
function headerOf(c: Context<AppEnv>, name: string): string | undefined {
  const value = c.req.header(name);
  return value === '' ? undefined : value;
}

/** Compares digests, each in constant time, so that timing reveals nothing about a key. */
async function matchesAny(given: string | undefined, keys: readonly string[]): Promise<boolean> {
  if (given === undefined) return false;
  const digest = await sha256(given);
  let matches = false;
  for (const key of keys) {
    if (crypto.subtle.timingSafeEqual(digest, await sha256(key))) matches = true;
  }
  return matches;
}

function sha256(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
}
