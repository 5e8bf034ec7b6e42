import { DomainError } from '../core/domain-error.ts';
import type { Assumptions } from '../platform/database/assumptions.ts';
import type { Account } from './account.ts';
import type { AccountDirectory } from './account-directory.ts';

/**
 * @param name `corporateId` or `_id`.
 * @param assumptions As for a `Directory`.
 * @throws {DomainError} `forbidden` when no active account has that name. A change to an account takes effect within two seconds.
 */
export async function requireActive(
  accounts: AccountDirectory,
  name: string,
  assumptions?: Assumptions,
): Promise<Account> {
  const account = await accounts.find(name, { assumptions });
  if (account === undefined) throw new DomainError('account_inactive', 'The corporate account is unknown or inactive');
  return account;
}
