import { sha256 } from 'viem';
import type { Settings } from '../../platform/env.ts';
import { canonicalJson } from './portable-json.ts';

/** The response to a request for public metadata. */
export interface PublicDocument {
  /** Canonical JSON. For a certificate, exactly the bytes that its hash covers. */
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const ONE_YEAR_SECONDS = 31_536_000;

/** The policy for a document that never changes. */
export const IMMUTABLE = `public, max-age=${ONE_YEAR_SECONDS}, immutable`;

/**
 * The policy for a document that can change: clients revalidate it, and shared caches keep it briefly.
 * @param maxSeconds The longest that it is cached; METADATA_CACHE_SECONDS if that is shorter, or if undefined.
 */
export function cachedBriefly(
  { METADATA_CACHE_SECONDS }: Pick<Settings, 'METADATA_CACHE_SECONDS'>,
  maxSeconds = Infinity,
): string {
  return `public, max-age=0, s-maxage=${Math.min(METADATA_CACHE_SECONDS, maxSeconds)}`;
}

/** @param cacheControl {@link IMMUTABLE} or {@link cachedBriefly}. */
export function publicForm(document: object, cacheControl: string): PublicDocument {
  const body = canonicalJson(document);
  return {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': cacheControl,
      etag: `"${sha256(new TextEncoder().encode(body)).slice(2, 34)}"`,
    },
  };
}

/** What the cache keeps of a document. */
export function replyOf({ body, headers }: PublicDocument): Response {
  return new Response(body, { headers });
}

/** A document that was cached. */
export async function documentIn(cached: Response): Promise<PublicDocument> {
  const headers = ['content-type', 'cache-control', 'etag', 'age'].flatMap((name) => {
    const value = cached.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { body: await cached.text(), headers: Object.fromEntries(headers) };
}
