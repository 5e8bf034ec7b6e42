import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { readText } from '../../core/read-text.ts';
import { singleFlight } from '../../core/single-flight.ts';
import { hostOf, isPublicAddress, targetFault } from './target.ts';

const TIMEOUT_MS = 5_000;
/** The most that is read of a reply, in bytes: DNS itself has no answer longer than 64 KB. */
const REPLY_BYTES = 256 * 1_024;
/** How long an answer of the resolver is believed. Short: whoever owns a name can change where it leads. */
const CACHE_MS = 30_000;
const CACHE_SIZE = 10_000;

/** The types of DNS records that lead to an address. */
const ADDRESS_RECORDS = { A: 1, AAAA: 28 } as const;

const replySchema = z.object({
  Answer: z.array(z.object({ type: z.int(), data: z.string() })).default([]),
});

/** Why an event may not be sent to a URL now; `final` says that it will not change by itself. */
export interface TargetFault {
  readonly fault: string;
  readonly final: boolean;
}

/** @returns undefined when an event may be sent to the URL. */
export type TargetCheck = (target: string) => Promise<TargetFault | undefined>;

interface TargetSettings {
  readonly WEBHOOK_ALLOW_PRIVATE_TARGETS: boolean;
  readonly WEBHOOK_DNS_URL: string;
}

/**
 * The check that every attempt makes: what {@link targetFault} sees in the URL, and then where its name leads. A Worker
 * has no resolver of its own and cannot say which address `fetch` is to use, so the name is asked for by DNS over HTTPS,
 * and must lead to public addresses only. Without an answer nothing is sent.
 */
export function createTargetCheck(settings: TargetSettings, clock: Clock): TargetCheck {
  const allowPrivate = settings.WEBHOOK_ALLOW_PRIVATE_TARGETS;
  const known = new Map<string, { readonly addresses: readonly string[]; readonly until: number }>();

  const resolve = singleFlight(async (name) => {
    const lookups = Object.keys(ADDRESS_RECORDS).map((type) => lookUp(settings.WEBHOOK_DNS_URL, name, type));
    const addresses = (await Promise.all(lookups)).flat();
    known.delete(name);
    known.set(name, { addresses, until: clock.now() + CACHE_MS });
    const [oldest] = known.keys();
    if (known.size > CACHE_SIZE && oldest !== undefined) known.delete(oldest);
    return addresses;
  });

  return async (target) => {
    const fault = targetFault(target, allowPrivate);
    if (fault !== undefined) return { fault: `The webhook URL ${fault}`, final: true };
    const host = hostOf(new URL(target).hostname);
    if (allowPrivate || ipaddr.isValid(host)) return undefined;
    const cached = known.get(host);
    let addresses: readonly string[];
    try {
      addresses = cached !== undefined && cached.until > clock.now() ? cached.addresses : await resolve(host);
    } catch {
      return { fault: 'The name in the webhook URL could not be looked up', final: false };
    }
    if (addresses.length === 0) return { fault: 'The name in the webhook URL has no address', final: false };
    return addresses.every(isPublicAddress)
      ? undefined
      : { fault: 'The name in the webhook URL leads to an address that is not public', final: true };
  };
}

/** The addresses of a name, as `application/dns-json` lists them; what is not a record of an address is left out. */
async function lookUp(resolver: string, name: string, type: string): Promise<string[]> {
  const url = new URL(resolver);
  url.searchParams.set('name', name);
  url.searchParams.set('type', type);
  const reply = await fetch(url, {
    headers: { accept: 'application/dns-json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!reply.ok) {
    await reply.body?.cancel();
    throw new Error(`The resolver answered ${reply.status}`);
  }
  const types: readonly number[] = Object.values(ADDRESS_RECORDS);
  return replySchema
    .parse(JSON.parse(await readText(reply, REPLY_BYTES)))
    .Answer.flatMap((record) => (types.includes(record.type) && ipaddr.isValid(record.data) ? [record.data] : []));
}
