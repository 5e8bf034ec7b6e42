import type { Context } from 'hono';
import { parsePublicSettings } from '../platform/public-settings.ts';
import type { PageData, PageEnv } from './pages.ts';

/** What the page of a claim is told: the chains, and where it finds pictures on IPFS. Nothing about any claim. */
export function claimPageData(c: Context<PageEnv>): PageData {
  const { chains, IPFS_GATEWAY_URL } = parsePublicSettings(c.env);
  return {
    settings: {
      chains: Array.from(chains.values(), ({ id, title, kind, explorerUrl }) => ({
        id,
        title,
        isTest: kind === 'test',
        explorerUrl,
      })),
      ipfsGateway: IPFS_GATEWAY_URL.replace(/\/+$/, ''),
    },
    origins: [],
    head: '',
  };
}
