import type { ChainDefinition } from '../chains/definition.ts';
import type { PublicSettings } from '../platform/public-settings.ts';

/** What a page is told by the service. */
export interface PageData {
  /** Available to the page as JSON, in its element with the id `settings`. */
  readonly settings: object;
  /** Origins that the page may connect to, besides those in its policy: `{origins}` there. */
  readonly origins: readonly string[];
  /** Elements for the page's head: its `<!-- head -->`. */
  readonly head: string;
}

/** A built page with what it is told. */
export function withData(html: string, { settings, origins, head }: PageData): string {
  // JSON that cannot end the script element it stands in.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  // The head comes last: it may have text of anyone, in which nothing may be replaced.
  return html
    .replaceAll('{origins}', () => origins.join(' '))
    .replace('{settings}', () => json)
    .replace('<!-- head -->', () => head);
}

/** What a page for visitors is told of a service at an origin. */
export function visitorSettings({ chains: all, IPFS_GATEWAY_URL }: PublicSettings, origin: string) {
  const chains = Array.from(all.values(), chainOf);
  const ipfsGateway = IPFS_GATEWAY_URL.replace(/\/+$/, '');
  // https is allowed anyway; a local stack has http.
  const origins = [origin, ipfsGateway, ...chains.flatMap(({ rpcUrls }) => rpcUrls)]
    .map((url) => new URL(url).origin)
    .filter((url) => url.startsWith('http:'));
  return { settings: { origin, chains, ipfsGateway }, origins: [...new Set(origins)] };
}

function chainOf({ id, title, kind, publicRpcUrls, explorerUrl }: ChainDefinition) {
  return { id, title, isTest: kind === 'test', rpcUrls: publicRpcUrls, explorerUrl };
}
