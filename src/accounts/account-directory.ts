import { createBriefMemory } from '../core/brief-memory.ts';
import type { Clock } from '../core/clock.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { readTogether } from '../core/read-together.ts';
import { singleFlight } from '../core/single-flight.ts';
import type { Account } from './account.ts';
import { findActiveAccounts } from './accounts.store.ts';

/**
 * How old a look at an account may be when a request relies on it. Together with the second for which a look is shared it
 * keeps the promise of docs/operations.md: a change of an account counts within two seconds.
 */
const CACHE_MS = 1_000;
/** How long a name counts as an account's, which is looked at by itself, at once. */
const SEEN_MS = 600_000;
const CAPACITY = 10_000;
/** What can name an account: a `corporateId` or a record id. */
const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export interface AccountDirectory {
  /**
   * @param name The value of X-CORPORATE-ID.
   * @returns undefined when no active account has that name.
   */
  find(name: string): Promise<Account | undefined>;
}

/**
 * Accounts by name, and names without one, held in memory for a second, so that requests rarely cost a round trip. Names
 * that were no account's in the last ten minutes are looked for together: whoever makes up names costs few round trips
 * more, and nobody waits for the looks at accounts in use.
 */
export function createAccountDirectory(db: SystemDb, clock: Clock): AccountDirectory {
  const active = createBriefMemory<Account>(CACHE_MS, CAPACITY);
  const unknown = createBriefMemory<true>(CACHE_MS, CAPACITY);
  const seen = createBriefMemory<true>(SEEN_MS, CAPACITY);

  const lookTogether = readTogether((names) => findActiveAccounts(db, names));
  const lookAlone = async (name: string) => (await findActiveAccounts(db, [name])).get(name);

  const look = singleFlight(async (_, name: string, begunAt: number) => {
    const account = await (seen.get(name, begunAt) === true ? lookAlone : lookTogether)(name);
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
    async find(name) {
      if (!ACCOUNT_NAME.test(name)) return undefined;
      const now = clock.now();
      const known = active.get(name, now);
      if (known !== undefined) return known;
      if (unknown.get(name, now) === true) return undefined;
      // Shared only with looks that began in the same second: one that the database is slow to answer may be out of date.
      return await look(`${Math.floor(now / 1_000)} ${name}`, name, now);
    },
  };
}
