import type { Context } from 'hono';
import type { ChainDefinition } from '../chains/definition.ts';
import { parsePublicSettings } from '../platform/public-settings.ts';
import { certificatePreview } from './certificate-preview.ts';
import type { PageData, PageEnv } from './pages.ts';

/**
 * What the page of the certificate check is told: where it finds the chains and documents on IPFS. Of the certificate it
 * is told nothing but what previews of its link show.
 */
export async function certificateCheckData(c: Context<PageEnv>): Promise<PageData> {
  const settings = parsePublicSettings(c.env);
  const { origin } = new URL(c.req.url);
  const chains = Array.from(settings.chains.values(), chainOf);
  const ipfsGateway = settings.IPFS_GATEWAY_URL.replace(/\/+$/, '');
  // https is allowed anyway; a local stack has http.
  const origins = [origin, ipfsGateway, ...chains.flatMap(({ rpcUrls }) => rpcUrls)]
    .map((url) => new URL(url).origin)
    .filter((url) => url.startsWith('http:'));
  return {
    settings: { origin, chains, ipfsGateway },
    origins: [...new Set(origins)],
    head: await certificatePreview(c),
  };
}

function chainOf({ id, title, kind, publicRpcUrls, explorerUrl }: ChainDefinition) {
  return { id, title, isTest: kind === 'test', rpcUrls: publicRpcUrls, explorerUrl };
}
