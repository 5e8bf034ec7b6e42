import type { Clock } from '../clock.ts';
import type { SystemDb } from '../db/client.ts';
import { singleFlight } from '../single-flight.ts';
import type { Account } from './account.ts';
import { findActiveAccount } from './find-account.ts';

/** How long an account is believed to be as it was read: an account that is shut stops working within that time. */
const CACHE_MS = 10_000;
const CACHE_SIZE = 10_000;
/** What can name an account: a `corporateId` or a record id. */
const ACCOUNT_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export interface AccountDirectory {
  /** @param name The value of X-CORPORATE-ID. @returns undefined when no active account has that name. */
  find(name: string): Promise<Account | undefined>;
}

/** Accounts by name, held briefly in memory, so that a request costs no extra round trip. */
export function createAccountDirectory(db: SystemDb, clock: Clock): AccountDirectory {
  const cache = new Map<string, { readonly account: Account; readonly until: number }>();
  const load = singleFlight(async (name) => {
    const account = await findActiveAccount(db, name);
    if (account !== undefined) cache.set(name, { account, until: clock.now() + CACHE_MS });
    const [oldest] = cache.keys();
    if (cache.size > CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
    return account;
  });
  return {
    async find(name) {
      if (!ACCOUNT_NAME.test(name)) return undefined;
      const cached = cache.get(name);
      if (cached !== undefined && cached.until > clock.now()) return cached.account;
      cache.delete(name);
      return await load(name);
    },
  };
}
