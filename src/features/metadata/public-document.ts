import { sha256, stringToHex } from 'viem';
import type { Address } from 'viem';
import type { Services } from '../../services.ts';
import { canonicalJson } from './canonical-json.ts';
import { findTokenDocument } from './metadata.ts';

/** What a reader of a token's metadata gets, ready to be sent. */
export interface PublicDocument {
  /** Canonical JSON: of a certificate, the very bytes that its hash is over. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long this Worker instance remembers that a token has no document, in milliseconds. */
const UNKNOWN_MS = 2_000;
const UNKNOWN_TOKENS = 10_000;
const ONE_YEAR_SECONDS = 31_536_000;

/** A token's cache key -> until when it is taken to have no document. */
const unknownUntil = new Map<string, number>();
/** Reads of the same uncached token that overlap share one look into the database. */
const underWay = new Map<string, Promise<PublicDocument | undefined>>();

/**
 * The document of a token: from the data center's cache, or else from the database and then kept in that cache.
 * An unknown token is remembered briefly and only behind the cache, so that a mint, which fills the cache, is never hidden.
 * @param tokenId Decimal.
 * @returns undefined when no confirmed mint has bound a document to the token.
 */
export async function publicDocument(
  services: Services,
  contractAddress: Address,
  tokenId: string,
): Promise<PublicDocument | undefined> {
  const key = cacheKey(services, contractAddress, tokenId);
  const cached = await caches.default.match(key);
  if (cached !== undefined) return { body: await cached.text(), headers: keptHeaders(cached) };
  if ((unknownUntil.get(key) ?? 0) > services.clock.now()) return undefined;

  let load = underWay.get(key);
  if (load === undefined) {
    load = loadDocument(services, contractAddress, tokenId, key).finally(() => underWay.delete(key));
    underWay.set(key, load);
  }
  return await load;
}

/** Puts a token's document into this data center's cache, as the end of its mint does. */
export async function warmDocument(services: Services, contractAddress: Address, tokenId: string): Promise<void> {
  await loadDocument(services, contractAddress, tokenId, cacheKey(services, contractAddress, tokenId));
}

async function loadDocument(
  services: Services,
  contractAddress: Address,
  tokenId: string,
  key: string,
): Promise<PublicDocument | undefined> {
  const row = await findTokenDocument(services.db, contractAddress, tokenId);
  if (row === undefined) {
    unknownUntil.delete(key);
    unknownUntil.set(key, services.clock.now() + UNKNOWN_MS);
    const [oldest] = unknownUntil.keys();
    if (unknownUntil.size > UNKNOWN_TOKENS && oldest !== undefined) unknownUntil.delete(oldest);
    return undefined;
  }
  const body = canonicalJson(row.standardFields);
  const document = {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      // A certificate never changes. What can change is asked for again by clients, and kept by shared caches for a time.
      'cache-control':
        row.metadataHash === null
          ? `public, max-age=0, s-maxage=${services.settings.METADATA_CACHE_SECONDS}`
          : `public, max-age=${ONE_YEAR_SECONDS}, immutable`,
      etag: `"${sha256(stringToHex(body)).slice(2, 34)}"`,
    },
  };
  await caches.default.put(key, new Response(body, { headers: document.headers }));
  return document;
}

/** One key a token, whatever spelling it was asked for by. */
function cacheKey({ settings }: Services, contractAddress: Address, tokenId: string): string {
  const base = settings.METADATA_BASE_URI ?? 'https://metadata.internal';
  return `${base.replace(/\/+$/, '')}/${contractAddress}/${tokenId}`;
}

function keptHeaders(cached: Response): Record<string, string> {
  return Object.fromEntries(
    ['content-type', 'cache-control', 'etag'].flatMap((name) => {
      const value = cached.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
