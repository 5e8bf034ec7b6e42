import canonicalize from 'canonicalize';
import { sha256 } from 'viem';
import type { Hex } from 'viem';

/** Canonical JSON (RFC 8785). @param value A value that `JSON.parse` can return. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error('Only JSON has a canonical form');
  return text;
}

/**
 * The hash that a certificate has on chain: SHA-256 over the canonical JSON, in UTF-8, of exactly the document that the
 * public endpoint serves.
 */
export function certificateHash(document: unknown): Hex {
  return sha256(new TextEncoder().encode(canonicalJson(document)));
}
