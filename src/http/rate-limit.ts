import type { Context, MiddlewareHandler } from 'hono';
import { DomainError } from '../core/domain-error.ts';
import type { AppEnv } from './app-env.ts';
import { isWithinLimit, LIMIT_PERIOD_SECONDS } from '../platform/is-within-limit.ts';
import { QUOTAS } from './rate-quotas.ts';
import ipaddr from 'ipaddr.js';

/** A binding in wrangler.toml that limits requests. */
type Limiter = keyof typeof QUOTAS;

/** The classes of routes, each with the binding that limits it. */
const LIMITERS = {
  /** Database queries only. */
  standard: 'RATE_LIMITER',
  /** A transaction that is large or irreversible, or a new key. */
  deploy: 'DEPLOY_LIMITER',
  /** Recovers a signature and simulates the request. */
  relay: 'RELAY_LIMITER',
  /** Reads from the chain. */
  read: 'READ_LIMITER',
  /** Calls the NFT index provider. */
  index: 'INDEX_LIMITER',
  upload: 'UPLOAD_LIMITER',
  signature: 'SIGNATURE_LIMITER',
  webhook: 'WEBHOOK_LIMITER',
} as const satisfies Record<string, Limiter>;

export type RateClass = keyof typeof LIMITERS;

/** Limits an account's requests per minute in a class. The platform counts in each of its locations separately. */
export function limitRate(rateClass: RateClass): MiddlewareHandler<AppEnv> {
  const limiter = LIMITERS[rateClass];
  return async (c, next) => {
    c.header('RateLimit-Policy', policyOf(rateClass, limiter));
    const subject = { limiter, policy: rateClass, key: c.get('account').id };
    await countRequest(c, subject, 'Too many requests of this kind from the account');
    await next();
  };
}

/** What requests are counted by. */
interface Counted {
  readonly limiter: Limiter;
  /** The name of the limit in the headers of replies. */
  readonly policy: string;
  readonly key: string;
}

/**
 * Counts a request against a limit. If the platform's limiter fails, the request passes.
 * @throws {DomainError} `rate-limited` when the limit is reached; the reply has Retry-After, and RateLimit and
 *   RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers). RateLimit is on no other reply: how many requests are left
 *   is not known.
 */
export async function countRequest(
  c: Context<AppEnv>,
  { limiter, policy, key }: Counted,
  message: string,
): Promise<void> {
  if (await isWithinLimit(c.env, limiter, key, c.get('log'))) return;
  c.header('Retry-After', String(LIMIT_PERIOD_SECONDS));
  c.header('RateLimit-Policy', policyOf(policy, limiter));
  c.header('RateLimit', `"${policy}";r=0;t=${LIMIT_PERIOD_SECONDS}`);
  throw new DomainError('rate_limited', message);
}

function policyOf(policy: string, limiter: Limiter): string {
  return `"${policy}";q=${QUOTAS[limiter]};w=${LIMIT_PERIOD_SECONDS}`;
}

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
  const [network, site] = networksOf(c.req.header('cf-connecting-ip'));
  const count = async (counter: Limiter, of: string) => {
    const counted = { limiter: counter, policy: `address-${subject}`, key: `${subject}:${of}` };
    await countRequest(c, counted, 'Too many requests from this address');
  };
  await count(limiter, network);
  if (site !== undefined) await count('SITE_LIMITER', site);
}

/**
 * What a caller's requests are counted by: an IPv4 address, or the /64 of an IPv6 address, which usually belongs to one
 * customer, and its /48, of which one customer may have all 65,536.
 * @param address The header CF-Connecting-IP, set by Cloudflare. Without it all callers count as one.
 */
// fallow-ignore-next-line unused-export -- Unit-tested: addresses have many forms.
export function networksOf(address: string | undefined): readonly [network: string, site?: string] {
  if (address === undefined || !ipaddr.isValid(address)) return ['unknown'];
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return [parsed.toString()];
  const prefix = (bits: number) => {
    const parts = parsed.parts.slice(0, bits / 16).map((part) => part.toString(16));
    return `${parts.join(':')}::/${bits}`;
  };
  return [prefix(64), prefix(48)];
}
