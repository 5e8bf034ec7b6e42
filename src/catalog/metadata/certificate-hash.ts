import { sha256 } from 'viem';
import type { Hex } from 'viem';
import { canonicalJson } from './canonical-json.ts';

/**
 * The hash that a certificate has on chain: SHA-256 over the canonical JSON, in UTF-8, of exactly the document that the
 * public endpoint serves.
 */
export function certificateHash(document: unknown): Hex {
  return sha256(new TextEncoder().encode(canonicalJson(document)));
}
