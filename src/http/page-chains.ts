import type { Context } from 'hono';
import { parsePublicSettings } from '../platform/public-settings.ts';
import type { PageData, PageEnv } from './pages.ts';

/** What portal and console are told: the chains, and nothing about any account. */
export function chainsData(c: Context<PageEnv>): PageData {
  const chains = Array.from(
    parsePublicSettings(c.env).chains.values(),
    ({ id, title, kind, nativeCoin, explorerUrl }) => ({
      id,
      title,
      isTest: kind === 'test',
      coin: nativeCoin.symbol,
      explorerUrl,
    }),
  );
  return { settings: { chains }, origins: [], head: '' };
}
