import { safeUrl, throughGateway } from '../shared/safe-url.ts';
import { CannotTell } from '../shared/visitors/cannot-tell.ts';
import type { Settings } from '../shared/visitors/settings.ts';

/** What a browser fetches. http is refused by the page's policy, except for a local stack. */
const SCHEMES = new Set(['https:', 'http:', 'data:']);

/**
 * Where the browser fetches what a URI names: the URI itself, or for `ipfs://` a gateway.
 * @throws {CannotTell} for any other kind of URI.
 */
export function fetchableUrl(uri: string, ipfsGateway: string): string {
  const fetched = throughGateway(uri, ipfsGateway);
  const url = URL.canParse(fetched) ? new URL(fetched) : undefined;
  if (url === undefined || !SCHEMES.has(url.protocol)) {
    throw new CannotTell(({ reasons }) => reasons.notFetchable);
  }
  return url.href;
}

/** Where the browser fetches the picture of a document; undefined if that cannot be shown. */
export function pictureUrl(value: unknown, { ipfsGateway, archive, origin }: Settings): string | undefined {
  const base = archive?.assetBases.find((one) => typeof value === 'string' && value.startsWith(one));
  return base === undefined
    ? safeUrl(value, ipfsGateway, 'image')
    : `${origin}/assets/${String(value).slice(base.length)}`;
}
