import type { TenantServices } from '../../services.ts';

/** What follows the base of public documents: a contract's address, then anything. */
const OF_A_CONTRACT = /^\/0x[0-9a-f]{40}(\/|$)/;

/**
 * Whether a URL is served by this service: whether it is under the public base of token metadata, which is METADATA_BASE_URI
 * or the origin of the current request. Equivalent URLs are recognised: letter case of the host and the contract address,
 * http and https, percent-encoding, repeated slashes. The token id may have any form, including `{id}`, and may be followed
 * by anything.
 */
export function isOwnUrl({ settings, origin }: Pick<TenantServices, 'settings' | 'origin'>, url: string): boolean {
  const given = normalised(url);
  const bases = [settings.METADATA_BASE_URI, `${origin}/metadata`].flatMap((base) =>
    base === undefined ? [] : [normalised(base).replace(/\/$/, '')],
  );
  return bases.some((base) => given.startsWith(base) && OF_A_CONTRACT.test(given.slice(base.length)));
}

/** Host and path, normalised for comparison. */
function normalised(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host.replace(/\.(?=:|$)/, '')}${decoded(pathname).replaceAll(/\/{2,}/g, '/')}`.toLowerCase();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not UTF-8, so it cannot be one of our paths.
    return path;
  }
}
