import ipaddr from 'ipaddr.js';
import type { Context } from 'hono';
import { countRequest } from './rate-limit.ts';
import type { AppEnv } from './router.ts';

/**
 * What is counted by the caller's address, each by itself. None of it happens to a request that has a valid key.
 * - `key`: a request that is refused for its key
 * - `document`: a look for a public document of a known contract
 * - `contract`: a look for one of an address that may be no contract's
 */
export type AddressLimit = 'key' | 'document' | 'contract';

/** @throws {DomainError} `too-many` when the address has reached its limit. */
export async function limitAddress(c: Context<AppEnv>, subject: AddressLimit): Promise<void> {
  const limiter = subject === 'contract' ? 'UNKNOWN_CONTRACT_LIMITER' : 'ADDRESS_LIMITER';
  const network = networkOf(c.req.header('cf-connecting-ip'));
  await countRequest(c, limiter, `${subject}:${network}`, 'Too many requests from this address');
}

/**
 * An IPv4 address, or the /64 of an IPv6 one: whoever has one address of it has all.
 * @param address The header CF-Connecting-IP, which Cloudflare sets; without it all callers count as one.
 */
// fallow-ignore-next-line unused-export -- Tested on its own: address forms are many.
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
