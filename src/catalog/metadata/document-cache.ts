import type { EpochMs } from '../../core/epoch-ms.ts';
import type { PublicSettings } from '../../platform/public-settings.ts';

/** When the reply was read from its source. Only cached replies have this header. */
const READ_AT = 'x-read-at';
/** Longer than any read takes. */
const CHANGE_MARK_SECONDS = 600;

/** The canonical URL of a token's document, which is also its key in the cache of every data center. */
export function publicUrl(
  settings: Pick<PublicSettings, 'METADATA_BASE_URI'>,
  { contractAddress, tokenId }: { readonly contractAddress: string; readonly tokenId: string },
): string {
  return `${collectionUrl(settings, contractAddress)}/${tokenId}`;
}

/** The canonical URL of a collection's document, its `contractURI`, which is also its key in the caches. */
export function collectionUrl(
  { METADATA_BASE_URI: base = 'https://metadata.internal' }: Pick<PublicSettings, 'METADATA_BASE_URI'>,
  contractAddress: string,
): string {
  return `${base.replace(/\/+$/, '')}/${contractAddress}`;
}

/**
 * A reply in this data center's cache. Its `Age` counts from when it was read, so that caches which are filled from one
 * another add no time to one another's, and is rounded up.
 * @returns undefined if it has none, or only one that is too old.
 */
export async function findCached(url: string, now: EpochMs): Promise<Response | undefined> {
  const cached = await caches.default.match(url);
  if (cached === undefined) return undefined;
  const age = Math.max(0, Math.ceil((now - Number(cached.headers.get(READ_AT))) / 1_000));
  if (age >= lifetimeOf(cached.headers)) return undefined;
  const reply = new Response(cached.body, cached);
  reply.headers.delete(READ_AT);
  reply.headers.set('age', String(age));
  return reply;
}

/** How long caches may keep a reply, in seconds; 0 if they may not. */
export function lifetimeOf(headers: Headers): number {
  const policy = headers.get('cache-control') ?? '';
  const seconds = /\bpublic\b/.test(policy)
    ? (/\bs-maxage=(\d+)/.exec(policy) ?? /\bmax-age=(\d+)/.exec(policy))
    : null;
  return Number(seconds?.[1] ?? 0);
}

/** @param readAt When the reply was read from its source. */
export async function putCached(url: string, reply: Response, readAt: EpochMs): Promise<void> {
  const kept = new Response(reply.body, reply);
  kept.headers.set(READ_AT, String(readAt));
  await caches.default.put(url, kept);
}

/** Caches a reply unless a change has been marked since `mark` was read. @returns whether it was cached. */
export async function putUnlessChanged(
  url: string,
  reply: Response,
  readAt: EpochMs,
  mark: string | undefined,
): Promise<boolean> {
  await putCached(url, reply, readAt);
  if ((await changeMark(url)) === mark) return true;
  await caches.default.delete(url);
  return false;
}

/**
 * Drops a document that has changed. The cache keeps the last value written, so a slow reader could overwrite a newer
 * document with an older one: therefore this leaves a mark, which readers compare before their read and after their
 * write.
 */
export async function dropChanged(url: string): Promise<void> {
  const headers = { 'cache-control': `max-age=${CHANGE_MARK_SECONDS}` };
  await caches.default.put(markUrl(url), new Response(crypto.randomUUID(), { headers }));
  await caches.default.delete(url);
}

/** @returns undefined when there was no recent change in this data center. */
export async function changeMark(url: string): Promise<string | undefined> {
  return await (await caches.default.match(markUrl(url)))?.text();
}

/** The cache key of the mark of a document's last change. It is never served. */
function markUrl(url: string): string {
  return `${url}?changed`;
}
