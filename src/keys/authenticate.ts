import { mayComeFrom } from '../accounts/account-key.ts';
import { ensureAccount } from '../accounts/accounts.store.ts';
import type { Account } from '../accounts/account.ts';
import { requireActive } from '../accounts/account-directory.ts';
import { mayUse, scopesOf } from '../accounts/actor.ts';
import type { Authenticator, Caller, Credentials } from '../accounts/authenticator.ts';
import { localAccount } from '../accounts/local-account.ts';
import { DomainError } from '../core/domain-error.ts';
import type { ErrorCode } from '../core/error-codes.ts';
import type { Services } from '../services.ts';
import { isKeySecret, keyHash } from './key-secret.ts';
import { createKeyDirectory, type KeyDirectory } from './key-directory.ts';

/** By the settings, which all invocations of this Worker instance share. */
const directories = new WeakMap<Services['settings'], KeyDirectory>();

/** Finds callers by the keys of accounts, and by those in the settings. */
export function createAuthenticator(services: Services): Authenticator {
  const keys = directories.get(services.settings) ?? createKeyDirectory(services);
  directories.set(services.settings, keys);
  return {
    async findCaller(credentials, access) {
      const caller = await identify(services, keys, credentials, mayUse({ type: 'admin' }, access));
      const { actor, refusal } = caller;
      if (refusal !== undefined) return caller;
      if (!mayUse(actor, access)) {
        const needed = scopesOf(access).join(' or ');
        return {
          ...caller,
          refusal: new DomainError('scope_missing', `This requires an account key with the scope ${needed}`),
        };
      }
      if (actor.type === 'key') keys.noteUse(actor.key.id);
      return caller;
    },
    requireAdmin: (credentials) => requireAdminKey(services, credentials),
  };
}

async function requireAdminKey({ settings }: Services, credentials: Credentials): Promise<void> {
  if (await matchesAny(credentials.header('x-admin-secret-key'), [settings.ADMIN_SECRET_KEY])) return;
  await credentials.countGuess('key');
  throw refusedKey(credentials, 'x-admin-secret-key', ['admin_key_missing', 'admin_key_invalid']);
}

async function identify(
  services: Services,
  keys: KeyDirectory,
  credentials: Credentials,
  isForAdmin: boolean,
): Promise<Caller> {
  if (isForAdmin && headerOf(credentials, 'x-admin-secret-key') !== undefined) {
    await requireAdminKey(services, credentials);
    return { actor: { type: 'admin' }, account: await namedAccount(services, credentials) };
  }
  const given = credentials.header('x-api-key');
  if (await matchesAny(given, services.settings.GLOBAL_SECRET_KEY)) {
    return { actor: { type: 'operator' }, account: await namedAccount(services, credentials) };
  }
  const caller =
    given !== undefined && isKeySecret(given) ? await keyHolder(services, keys, credentials, given) : undefined;
  if (caller !== undefined) return caller;
  await credentials.countGuess('key');
  throw refusedKey(credentials, 'x-api-key', ['api_key_missing', 'api_key_invalid']);
}

/** Why a key was not accepted, as far as the caller's own headers tell. Nothing is said about the keys that exist. */
function refusedKey(
  credentials: Credentials,
  header: 'x-api-key' | 'x-admin-secret-key',
  [missing, invalid]: readonly [ErrorCode, ErrorCode],
): DomainError {
  const given = credentials.header(header);
  if (given !== undefined && /^Bearer\b/i.test(given)) {
    return new DomainError('bearer_not_supported', `The header ${header} must contain only the key, without "Bearer"`);
  }
  if (headerOf(credentials, header) !== undefined) return new DomainError(invalid, `The key in ${header} is not valid`);
  return headerOf(credentials, 'authorization') === undefined
    ? new DomainError(missing, `The header ${header} is ${given === undefined ? 'missing' : 'empty'}`)
    : new DomainError('bearer_not_supported', `The header Authorization is not supported: send the key in ${header}`);
}

/** @returns undefined when the key is no account's, is revoked or has expired. */
async function keyHolder(
  { clock }: Services,
  keys: KeyDirectory,
  credentials: Credentials,
  secret: string,
): Promise<Caller | undefined> {
  const owner = await keys.find(await keyHash(secret), () => credentials.countGuess('lookup'));
  if (owner === undefined) return undefined;
  const { key, account, isActive } = owner;
  if (key.expiresAt !== null && key.expiresAt.getTime() <= clock.now()) return undefined;
  const name = headerOf(credentials, 'x-corporate-id');
  return { actor: { type: 'key', key }, account, refusal: findRefusal() };

  function findRefusal(): DomainError | undefined {
    if (!mayComeFrom(key, credentials.header('cf-connecting-ip'))) {
      return new DomainError('address_not_allowed', 'The key cannot be used from this address');
    }
    if (name !== undefined && ![account.corporateId, account.id].includes(name)) {
      return new DomainError('forbidden', 'The key does not belong to the account in X-CORPORATE-ID');
    }
    return isActive ? undefined : new DomainError('account_inactive', 'The corporate account is inactive');
  }
}

/** @returns the account in X-CORPORATE-ID; without the header, the built-in account where the settings have its key. */
async function namedAccount(services: Services, credentials: Credentials): Promise<Account> {
  const name = headerOf(credentials, 'x-corporate-id');
  if (name !== undefined) return await requireActive(services.accounts, name);
  const privateKey = services.settings.LOCAL_DEV_PRIVATE_KEY;
  if (privateKey === undefined) throw new DomainError('account_header_missing', 'The header X-CORPORATE-ID is missing');
  const account = localAccount(privateKey);
  await ensureAccount(services.db, account, services.encryption);
  return account;
}

/** The header's value; undefined also if it is empty, as where a caller's variable is not set. */
function headerOf(credentials: Credentials, name: string): string | undefined {
  const value = credentials.header(name);
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
