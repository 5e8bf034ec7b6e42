import type { TenantServices } from '../../services.ts';

/** What follows the base of the public documents: a contract's address, and anything behind it. */
const OF_A_CONTRACT = /^\/0x[0-9a-f]{40}(\/|$)/;

/**
 * Whether this service answers for what is at a URL: whether it is under the public base of token metadata, METADATA_BASE_URI
 * or the address that the request itself was sent to. Spellings that lead to the same place are the same: the case of the
 * host and the address, http and https, percent-encoding, doubled slashes. The token id may be in any form, `{id}` too, with
 * a query or anything else behind it.
 */
export function isOwnUrl({ settings, origin }: Pick<TenantServices, 'settings' | 'origin'>, url: string): boolean {
  const given = placeOf(url);
  const bases = [settings.METADATA_BASE_URI, `${origin}/metadata`].flatMap((base) =>
    base === undefined ? [] : [placeOf(base).replace(/\/$/, '')],
  );
  return bases.some((base) => given.startsWith(base) && OF_A_CONTRACT.test(given.slice(base.length)));
}

/** Host and path in the one spelling that is compared. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host.replace(/\.(?=:|$)/, '')}${decoded(pathname).replaceAll(/\/{2,}/g, '/')}`.toLowerCase();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // It is no UTF-8, and so names nothing here.
    return path;
  }
}
