import type { Address } from 'viem';
import type { ErcStandard } from '../../platform/database/schema.ts';
import { machineOf, publicBases } from './is-own-url.ts';
import type { Origins } from './is-own-url.ts';
import { tokenIdsOf } from './token-ids-of.ts';

interface IssuedToken {
  /** Lower case. */
  readonly contractAddress: Address;
  readonly tokenId: string;
  readonly ercStandard: ErcStandard;
}

/**
 * Whether every client gets a token's document from this service under a URL: a public base, the contract's address in any
 * case, and the token id in decimal or as 64 hex digits, for ERC-1155 also `{id}`. Anything that clients interpret differently
 * is not accepted: no query, no percent-encoding, no `..`.
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
