import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { ExpiringMap } from '../../core/bounded-map.ts';
import { readText, sendRequest } from '../../core/send-request.ts';
import { singleFlight } from '../../core/single-flight.ts';
import { hostOf, isPublicAddress, targetIssue } from './target-issue.ts';

const TIMEOUT_MS = 5_000;
/** The longest reply that is read, in bytes: a DNS message has at most 64 KB. */
const REPLY_BYTES = 256 * 1_024;
/** How long a DNS answer is cached. Short: the owner of a name can change its addresses at any time. */
const CACHE_MS = 30_000;
const CACHE_SIZE = 10_000;

/** DNS record types that hold an address. */
const ADDRESS_RECORDS = { A: 1, AAAA: 28 } as const;

const replySchema = z.object({
  Answer: z.array(z.object({ type: z.int(), data: z.string() })).default([]),
});

/** Why an event may not be sent to a URL now. `final` means that a retry would be rejected too. */
export interface TargetRejection {
  readonly error: string;
  readonly final: boolean;
}

/** Whether an event may be sent to a URL. @returns undefined when it may. */
export type TargetCheck = (target: string) => Promise<TargetRejection | undefined>;

interface TargetSettings {
  readonly WEBHOOK_ALLOW_PRIVATE_TARGETS: boolean;
  readonly WEBHOOK_DNS_URL: string;
}

/**
 * Creates the check made before every delivery attempt: the URL itself by {@link targetIssue}, then the addresses that
 * its host name resolves to, which must all be public. A Worker has no resolver and cannot choose the address that
 * `fetch` connects to, so names are looked up by DNS over HTTPS. When the lookup fails, nothing is sent.
 */
export function createTargetCheck(settings: TargetSettings, clock: Clock): TargetCheck {
  const allowPrivate = settings.WEBHOOK_ALLOW_PRIVATE_TARGETS;
  const resolved = new ExpiringMap<readonly string[]>(CACHE_MS, CACHE_SIZE);

  const resolve = singleFlight(async (name) => {
    const lookups = Object.keys(ADDRESS_RECORDS).map((type) => lookUp(settings.WEBHOOK_DNS_URL, name, type));
    const addresses = (await Promise.all(lookups)).flat();
    resolved.set(name, addresses, clock.now());
    return addresses;
  });

  return async (target) => {
    const issue = targetIssue(target, allowPrivate);
    if (issue !== undefined) return { error: `The webhook URL ${issue}`, final: true };
    const host = hostOf(new URL(target).hostname);
    if (allowPrivate || ipaddr.isValid(host)) return undefined;
    let addresses: readonly string[];
    try {
      addresses = resolved.get(host, clock.now()) ?? (await resolve(host));
    } catch {
      return { error: 'The host name in the webhook URL could not be looked up', final: false };
    }
    if (addresses.length === 0) return { error: 'The host name in the webhook URL has no address', final: false };
    return addresses.every(isPublicAddress)
      ? undefined
      : { error: 'The host name in the webhook URL resolves to an address that is not public', final: true };
  };
}

/** The addresses in a resolver's `application/dns-json` response; other records, such as CNAME, are left out. */
async function lookUp(resolver: string, name: string, type: string): Promise<string[]> {
  const url = new URL(resolver);
  url.searchParams.set('name', name);
  url.searchParams.set('type', type);
  const reply = await sendRequest(url, {
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
