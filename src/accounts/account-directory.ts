import { ExpiringMap } from '../core/expiring-map.ts';
import type { Clock } from '../core/clock.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { singleFlight } from '../core/single-flight.ts';
import type { Account } from './account.ts';
import { findActiveAccount } from './accounts.store.ts';

/**
 * How long an account that was read is cached. Together with the second during which concurrent reads share one query, this
 * keeps the promise of docs/operations.md: a change to an account takes effect within two seconds.
 */
const CACHE_MS = 1_000;
/** How long a name that was found is looked up again without counting against the caller's address. */
const KNOWN_NAME_MS = 600_000;
const CAPACITY = 10_000;
/** Form of a `corporateId` or a record id. */
const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export interface AccountDirectory {
  /**
   * @param name The value of X-CORPORATE-ID.
   * @param allowLookup Called before the database is queried for a name that has not been found in the last ten minutes;
   *   throws when the caller has made too many such requests.
   * @returns undefined when no active account has that name.
   */
  find(name: string, allowLookup: () => Promise<void>): Promise<Account | undefined>;
}

/** Caches accounts, and names that no account has, for a second, so that requests rarely need a database round trip. */
export function createAccountDirectory(db: SystemDb, clock: Clock): AccountDirectory {
  const active = new ExpiringMap<Account>(CACHE_MS, CAPACITY);
  const unknown = new ExpiringMap<true>(CACHE_MS, CAPACITY);
  const knownNames = new ExpiringMap<true>(KNOWN_NAME_MS, CAPACITY);

  const lookUp = singleFlight(async (_, name: string, startedAt: number) => {
    const account = await findActiveAccount(db, name);
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
    async find(name, allowLookup) {
      if (!ACCOUNT_NAME.test(name)) return undefined;
      const now = clock.now();
      const cached = active.get(name, now);
      if (cached !== undefined) return cached;
      if (unknown.get(name, now) === true) return undefined;
      if (knownNames.get(name, now) !== true) await allowLookup();
      // Shared only with queries started in the same second: the result of a slow one may be out of date.
      return await lookUp(`${Math.floor(now / 1_000)} ${name}`, name, now);
    },
  };
}
