import { DomainError } from '../core/domain-error.ts';
import type { Clock } from '../core/clock.ts';
import type { SystemDb } from '../platform/database/client.ts';
import type { Account } from './account.ts';
import { readAccounts } from './accounts.store.ts';
import { createDirectory, type Directory } from './directory.ts';

/** Form of a `corporateId` or a record id. */
export const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Active accounts, by the value of X-CORPORATE-ID. */
export type AccountDirectory = Directory<Account>;

/** Accounts, cached as by {@link createDirectory}. */
export function createAccountDirectory(db: SystemDb, clock: Clock): AccountDirectory {
  const accounts = createDirectory((names) => readAccounts(db, names), clock);
  return {
    find: async (name, allow) => (ACCOUNT_NAME.test(name) ? await accounts.find(name, allow) : undefined),
  };
}

/**
 * @param name `corporateId` or `_id`.
 * @throws {DomainError} `forbidden` when no active account has that name. A change to an account takes effect within
 *   two seconds.
 */
export async function requireActive(accounts: AccountDirectory, name: string): Promise<Account> {
  const account = await accounts.find(name);
  if (account === undefined) throw new DomainError('account_inactive', 'The corporate account is unknown or inactive');
  return account;
}
