import { CannotTell } from './cannot-tell.ts';

/** What a browser fetches. http is refused by the page's policy, except for a local stack. */
const SCHEMES = new Set(['https:', 'http:', 'data:']);

/**
 * Where the browser fetches what a URI names: the URI itself, or for `ipfs://` a gateway.
 * @throws {CannotTell} for any other kind of URI.
 */
export function fetchableUrl(uri: string, ipfsGateway: string): string {
  const [, path] = /^ipfs:\/\/(?:ipfs\/)?(.+)$/is.exec(uri) ?? [];
  if (path !== undefined) return `${ipfsGateway}/ipfs/${path}`;
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url === undefined || !SCHEMES.has(url.protocol)) {
    throw new CannotTell(({ reasons }) => reasons.notFetchable);
  }
  return url.href;
}

/**
 * Where a browser fetches a picture or a link of a document; undefined if it is not https, IPFS or, for a picture, a
 * data URL of one.
 */
export function safeUrl(value: unknown, ipfsGateway: string, use: 'image' | 'link'): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (use === 'image' && /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(value)) return value;
  if (!/^(?:https|ipfs):\/\//i.test(value)) return undefined;
  try {
    return fetchableUrl(value, ipfsGateway);
  } catch {
    return undefined;
  }
}
