import type { Clock } from '../core/clock.ts';
import type { SystemDb } from '../platform/database/client.ts';
import type { Account } from './account.ts';
import { accountsByName, accountsQuery } from './accounts.store.ts';
import { createDirectory } from './directory.ts';
import type { Directory } from './directory.ts';

/** Form of a `corporateId` or a record id. */
export const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Active accounts, by the value of X-CORPORATE-ID. */
export type AccountDirectory = Directory<Account>;

/** Accounts, cached as by {@link createDirectory}. */
export function createAccountDirectory(db: SystemDb, clock: Clock): AccountDirectory {
  const accounts = createDirectory(
    { query: (names: readonly string[]) => accountsQuery(db, names), valuesOf: accountsByName },
    clock,
  );
  return {
    find: async (name, lookUp) => (ACCOUNT_NAME.test(name) ? await accounts.find(name, lookUp) : undefined),
  };
}
