import { createBriefMemory } from '../core/brief-memory.ts';
import type { Clock } from '../core/clock.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { singleFlight } from '../core/single-flight.ts';
import type { Account } from './account.ts';
import { findActiveAccount } from './accounts.store.ts';

/**
 * How old a look at an account may be when a request relies on it. Together with the second for which a look is shared it
 * keeps the promise of docs/operations.md: a change of an account counts within two seconds.
 */
const CACHE_MS = 1_000;
/** How long a name counts as an account's, for deciding whether a look has to be allowed first. */
const SEEN_MS = 600_000;
const CAPACITY = 10_000;
/** What can name an account: a `corporateId` or a record id. */
const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export interface AccountDirectory {
  /**
   * @param name The value of X-CORPORATE-ID.
   * @param allowLook Called before the database is asked for a name that was no account's in the last ten minutes; throws
   *   where the caller may not ask for more of them.
   * @returns undefined when no active account has that name.
   */
  find(name: string, allowLook: () => Promise<void>): Promise<Account | undefined>;
}

/** Accounts by name, and names without one, held in memory for a second, so that requests rarely cost a round trip. */
export function createAccountDirectory(db: SystemDb, clock: Clock): AccountDirectory {
  const active = createBriefMemory<Account>(CACHE_MS, CAPACITY);
  const unknown = createBriefMemory<true>(CACHE_MS, CAPACITY);
  const seen = createBriefMemory<true>(SEEN_MS, CAPACITY);

  const look = singleFlight(async (_, name: string, begunAt: number) => {
    const account = await findActiveAccount(db, name);
    if (account === undefined) {
      active.delete(name);
      unknown.set(name, true, begunAt);
    } else {
      active.set(name, account, begunAt);
      seen.set(name, true, begunAt);
    }
    return account;
  });

  return {
    async find(name, allowLook) {
      if (!ACCOUNT_NAME.test(name)) return undefined;
      const now = clock.now();
      const known = active.get(name, now);
      if (known !== undefined) return known;
      if (unknown.get(name, now) === true) return undefined;
      if (seen.get(name, now) !== true) await allowLook();
      // Shared only with looks that began in the same second: one that the database is slow to answer may be out of date.
      return await look(`${Math.floor(now / 1_000)} ${name}`, name, now);
    },
  };
}
