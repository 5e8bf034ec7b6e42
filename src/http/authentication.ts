import type { MiddlewareHandler } from 'hono';
import { ensureAccount } from '../accounts/accounts.store.ts';
import { localAccount } from '../accounts/local-account.ts';
import { requireActive } from '../accounts/require-active.ts';
import type { Account } from '../accounts/account.ts';
import type { Services } from '../services.ts';
import { limitAddress } from './address-limit.ts';
import { DomainError } from '../core/domain-error.ts';
import type { AppEnv } from './router.ts';

/** OpenAPI security requirements, for route definitions. */
export const corporateSecurity = [{ apiKey: [], corporateId: [] }];
export const adminSecurity = [{ adminKey: [] }];

/** Requires a global API key and an active corporate account. */
export const requireCorporateAccount: MiddlewareHandler<AppEnv> = async (c, next) => {
  const services = c.get('services');
  if (!(await matchesAny(c.req.header('x-api-key'), services.settings.GLOBAL_SECRET_KEY))) {
    await limitAddress(c, 'key');
    throw new DomainError('unauthenticated', 'The header x-api-key is missing or wrong');
  }
  const account = await accountOf(services, c.req.header('x-corporate-id'));
  c.set('account', account);
  c.set('log', c.get('log').with({ accountId: account.id }));
  await next();
};

/** Checks the account again once the body has arrived, because it may have been deactivated in the meantime. */
export const requireStillActive: MiddlewareHandler<AppEnv> = async (c, next) => {
  await requireActive(c.get('services').accounts, c.get('account').id);
  await next();
};

/** Requires the admin key. */
export const requireAdmin: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!(await matchesAny(c.req.header('x-admin-secret-key'), [c.get('services').settings.ADMIN_SECRET_KEY]))) {
    await limitAddress(c, 'key');
    throw new DomainError('unauthenticated', 'The header x-admin-secret-key is missing or wrong');
  }
  await next();
};

async function accountOf(services: Services, name: string | undefined): Promise<Account> {
  if (name === undefined) {
    const privateKey = services.settings.LOCAL_DEV_PRIVATE_KEY;
    if (privateKey === undefined) throw new DomainError('unauthenticated', 'The header X-CORPORATE-ID is missing');
    const account = localAccount(privateKey);
    await ensureAccount(services.db, account, services.encryption);
    return account;
  }
  return await requireActive(services.accounts, name);
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
