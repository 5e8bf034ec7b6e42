import type { Context } from 'hono';
import { parsePublicSettings } from '../platform/public-settings.ts';
import type { PageData } from './page-data.ts';
import type { PageEnv } from './pages.ts';

/** What portal, console and the page of a claim are told: the chains and where IPFS is, and nothing about anybody. */
export function chainsData(c: Context<PageEnv>): PageData {
  const settings = parsePublicSettings(c.env);
  const chains = Array.from(settings.chains.values(), ({ id, title, kind, nativeCoin, explorerUrl }) => ({
    id,
    title,
    isTest: kind === 'test',
    coin: nativeCoin.symbol,
    explorerUrl,
  }));
  const ipfsGateway = settings.IPFS_GATEWAY_URL.replace(/\/+$/, '');
  return { settings: { chains, ipfsGateway }, origins: [], head: '' };
}
