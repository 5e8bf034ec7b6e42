import type { ChainDefinition } from '../chains/definition.ts';
import type { PublicSettings } from '../platform/public-settings.ts';

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
