import { ExpiringMap } from '../core/expiring-map.ts';
import type { Clock } from '../core/clock.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { readTogether } from '../core/read-together.ts';
import { singleFlight } from '../core/single-flight.ts';
import type { Account } from './account.ts';
import { findActiveAccounts } from './accounts.store.ts';

/**
 * How long an account that was read is cached. Together with the second during which concurrent reads share one query, this
 * keeps the promise of docs/operations.md: a change to an account takes effect within two seconds.
 */
const CACHE_MS = 1_000;
/** How long a name that was found is looked up again by itself, without waiting for others. */
const KNOWN_NAME_MS = 600_000;
const CAPACITY = 10_000;
/** Form of a `corporateId` or a record id. */
export const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export interface AccountDirectory {
  /**
   * @param name The value of X-CORPORATE-ID.
   * @returns undefined when no active account has that name.
   */
  find(name: string): Promise<Account | undefined>;
}

/**
 * Caches accounts, and names that no account has, for a second, so that requests rarely need a database round trip. Names
 * that were not found in the last ten minutes are looked up together: invented names cost few round trips, and do not
 * delay the lookups of accounts in use.
 */
export function createAccountDirectory(db: SystemDb, clock: Clock): AccountDirectory {
  const active = new ExpiringMap<Account>(CACHE_MS, CAPACITY);
  const unknown = new ExpiringMap<true>(CACHE_MS, CAPACITY);
  const knownNames = new ExpiringMap<true>(KNOWN_NAME_MS, CAPACITY);

  const lookUpTogether = readTogether((names) => findActiveAccounts(db, names));
  const lookUpAlone = async (name: string) => (await findActiveAccounts(db, [name])).get(name);

  const lookUp = singleFlight(async (_, name: string, startedAt: number) => {
    const account = await (knownNames.get(name, startedAt) === true ? lookUpAlone : lookUpTogether)(name);
    if (account === undefined) {
      active.delete(name);
      unknown.set(name, true, startedAt);
    } else {
      active.set(name, account, startedAt);
      knownNames.set(name, true, startedAt);
    }
    return account;
  });

  return {
    async find(name) {
      if (!ACCOUNT_NAME.test(name)) return undefined;
      const now = clock.now();
      const cached = active.get(name, now);
      if (cached !== undefined) return cached;
      if (unknown.get(name, now) === true) return undefined;
      // Shared only with queries started in the same second: the result of a slow one may be out of date.
      return await lookUp(`${Math.floor(now / 1_000)} ${name}`, name, now);
    },
  };
}
