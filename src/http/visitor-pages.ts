import type { Context } from 'hono';
import { parsePublicSettings } from '../platform/public-settings.ts';
import { linkPreview } from './link-preview.ts';
import type { PageData } from './page-data.ts';
import type { PageEnv } from './pages.ts';
import { visitorSettings } from './visitor-settings.ts';

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
  const { origin } = new URL(c.req.url);
  return { ...visitorSettings(parsePublicSettings(c.env), origin), head: await linkPreview(c, page) };
}
