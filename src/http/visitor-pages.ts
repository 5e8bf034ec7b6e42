import type { Context } from 'hono';
import type { ChainDefinition } from '../chains/definition.ts';
import { parsePublicSettings } from '../platform/public-settings.ts';
import { linkPreview } from './link-preview.ts';
import type { PageData, PageEnv } from './pages.ts';

/** What the page of the certificate check is told. */
export const certificateCheckData = (c: Context<PageEnv>) => visitorData(c, 'Certificate check');

/** What the page of a collection is told. */
export const collectionData = (c: Context<PageEnv>) => visitorData(c, 'Collection');

/**
 * Where a page for visitors finds the chains and documents on IPFS. Of what its path names it is told nothing but what
 * previews of its link show.
 * @param page What the page is.
 */
async function visitorData(c: Context<PageEnv>, page: string): Promise<PageData> {
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
    head: await linkPreview(c, page),
  };
}

function chainOf({ id, title, kind, publicRpcUrls, explorerUrl }: ChainDefinition) {
  return { id, title, isTest: kind === 'test', rpcUrls: publicRpcUrls, explorerUrl };
}
