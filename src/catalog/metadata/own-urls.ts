import ipaddr from 'ipaddr.js';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import { hostOf } from '../../platform/egress/target-issue.ts';
import type { TenantServices } from '../../services.ts';
import type { ErcStandard } from '../../platform/database/schema.ts';
import { tokenIdsOf } from './token-ids.ts';

/** What determines where this service serves documents. */
export type Origins = Pick<TenantServices, 'settings' | 'origin'>;

/**
 * The public bases of token metadata, without a trailing slash: METADATA_BASE_URI, and the origin of the current
 * request.
 */
export function publicBases({ settings, origin }: Origins): string[] {
  return [settings.METADATA_BASE_URI, `${origin}/metadata`].flatMap((base) =>
    base === undefined ? [] : [base.replace(/\/+$/, '')],
  );
}

/**
 * Whether a URL leads to this service: whether it is under a public base of token metadata. Equivalent URLs are
 * recognised: letter case of host and path, http and https, percent-encoding, repeated slashes, and for a base on the
 * local machine every loopback name and address (`localhost`, `127.0.0.1`, `[::1]`, `0.0.0.0`). Other names that
 * resolve to this service are not recognised.
 */
export function isOwnUrl(origins: Origins, url: string): boolean {
  const given = normalised(url);
  return publicBases(origins).some((base) => given?.startsWith(normalised(`${base}/`) ?? '//') === true);
}

/** A URL's host and port, with `localhost` for every name and address of the local machine. */
function machineOf({ hostname, port }: URL): string {
  const host = hostOf(hostname);
  return `${isLocalMachine(host) ? 'localhost' : host}:${port}`;
}

function isLocalMachine(host: string): boolean {
  if (!ipaddr.isValid(host)) return /(^|\.)localhost$/.test(host);
  return ['loopback', 'unspecified'].includes(ipaddr.process(host).range());
}

/** Host and path, normalised for comparison; undefined if the URL is neither http nor https. */
function normalised(text: string): string | undefined {
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  return `${machineOf(url)}${decoded(url.pathname).replaceAll(/\/{2,}/g, '/')}`.toLowerCase();
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // Not UTF-8, so it cannot be one of our paths.
    return path;
  }
}

interface IssuedToken {
  readonly contractAddress: LowerCaseAddress;
  readonly tokenId: string;
  readonly ercStandard: ErcStandard;
}

/**
 * Whether every client gets a token's document from this service under a URL: a public base, the contract's address in
 * any case, and the token id in decimal or as 64 hex digits, for ERC-1155 also `{id}`. Anything that clients interpret
 * differently is not accepted: no query, no percent-encoding, no `..`.
 */
export function isUrlOfToken(origins: Origins, url: string, token: IssuedToken): boolean {
  const { protocol, ...rest } = partsOf(url);
  return publicBases(origins).some((text) => {
    const base = partsOf(text);
    if (base.protocol !== protocol || base.machine !== rest.machine) return false;
    if (!rest.path.startsWith(`${base.path}/`)) return false;
    const [address, id = '', ...more] = rest.path.slice(base.path.length + 1).split('/');
    return more.length === 0 && address?.toLowerCase() === token.contractAddress && meansToken(id, token);
  });
}

/** 64 decimal digits are valid in both forms. Only the id in decimal counts, because its document is served first. */
function meansToken(id: string, { tokenId, ercStandard }: IssuedToken): boolean {
  const hex = BigInt(tokenId).toString(16).padStart(64, '0');
  return tokenIdsOf(ercStandard === '1155' && id === '{id}' ? hex : id)[0] === tokenId;
}

/** A URL's parts; the path and everything after it as written. */
function partsOf(text: string): { readonly protocol: string; readonly machine: string; readonly path: string } {
  const url = new URL(text);
  const [, path = ''] = /^[^:]+:\/\/[^/?#]*(.*)$/s.exec(text) ?? [];
  return { protocol: url.protocol, machine: machineOf(url), path };
}
