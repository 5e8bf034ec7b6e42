import ipaddr from 'ipaddr.js';
import type { Context } from 'hono';
import { countRequest } from './rate-limit.ts';
import type { AppEnv } from './app-env.ts';

/**
 * What is counted by the caller's address, each separately. A request with a valid key counts only as a `lookup` or as
 * a `route`.
 * - `key`: a request with a missing or wrong key
 * - `route`: a request for a path that is no route, page's file or schema, or with a method that its path does not
 *   have, with whatever key
 * - `lookup`: a database query for a key of an account that this instance has not found in the last ten minutes
 * - `document`: a database query for a public document of a known contract
 * - `claim`: a request with the link of a claim
 * - `contract`: a database query for a document of an address that may not be a contract
 */
export type AddressLimit = 'key' | 'route' | 'lookup' | 'document' | 'claim' | 'contract';

/** @throws {DomainError} `rate-limited` when the address has reached its limit. */
export async function limitAddress(c: Context<AppEnv>, subject: AddressLimit): Promise<void> {
  const limiter = subject === 'contract' ? 'UNKNOWN_CONTRACT_LIMITER' : 'ADDRESS_LIMITER';
  const key = `${subject}:${networkOf(c.req.header('cf-connecting-ip'))}`;
  await countRequest(c, { limiter, policy: `address-${subject}`, key }, 'Too many requests from this address');
}

/**
 * An IPv4 address, or the /64 of an IPv6 address, which usually belongs to one customer.
 * @param address The header CF-Connecting-IP, set by Cloudflare. Without it all callers count as one.
 */
// fallow-ignore-next-line unused-export -- Unit-tested: addresses have many forms.
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : parsed.toString();
}
