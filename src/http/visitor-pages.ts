import type { Context } from 'hono';
import { parsePublicSettings } from '../platform/public-settings.ts';
import { visitorSettings, type PageData } from './page-data.ts';
import type { PageEnv } from './pages.ts';
import { within } from '../core/within.ts';

/** What the page of the certificate check is told. */
export const certificateCheckData = (c: Context<PageEnv>) =>
  visitorData(c, 'Certificate check', 'Checks a certificate against its contract, in your browser.');

/** What the page of a collection is told. */
export const collectionData = (c: Context<PageEnv>) =>
  visitorData(c, 'Collection', 'The tokens of a contract, and who issues them.');

/**
 * Where a page for visitors finds the chains and documents on IPFS. Of what its path names it is told nothing but what
 * previews of its link show.
 * @param page What the page is. @param about What it does, in a sentence.
 */
async function visitorData(c: Context<PageEnv>, page: string, about: string): Promise<PageData> {
  const { origin } = new URL(c.req.url);
  const head = `<meta name="description" content="${about}" />\n    ${await linkPreview(c, page)}`;
  return { ...visitorSettings(parsePublicSettings(c.env), origin), head };
}

/** How long the page waits for its document, in milliseconds. */
const PATIENCE_MS = 1_000;
/** What those who show a preview of a link cut off anyway, in characters. */
const [MAX_TITLE, MAX_DESCRIPTION] = [100, 300];

/**
 * What those see who are sent the link of a page, as elements of its head (Open Graph): name, description and picture
 * of the public document that its path names. Nothing of it has been checked, so the title says what the page is.
 * @param page What the page is.
 * @returns elements without any of them if there is no document, or it cannot be read in time.
 */
async function linkPreview(c: Context<PageEnv>, page: string): Promise<string> {
  const { contractAddress, tokenId } = c.req.param();
  const document = await readRecord(c, contractAddress, tokenId);
  const { name, description, image } = document;
  const picture = pictureUrl(image, parsePublicSettings(c.env).IPFS_GATEWAY_URL);
  const title = typeof name === 'string' ? `${page}: ${cut(name, MAX_TITLE)}` : page;
  return [
    `<title>${escapeHtml(title)}</title>`,
    meta('og:type', 'website'),
    meta('og:title', title),
    ...(typeof description === 'string' ? [meta('og:description', cut(description, MAX_DESCRIPTION))] : []),
    ...(picture === undefined ? [] : [meta('og:image', picture)]),
  ].join('\n    ');
}

async function readRecord(
  c: Context<PageEnv>,
  contractAddress: string | undefined,
  tokenId: string | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  if (contractAddress === undefined) return {};
  try {
    const read = await within(PATIENCE_MS, c.get('readDocument')(contractAddress, tokenId));
    const document: unknown = read?.result === undefined ? undefined : JSON.parse(read.result);
    return typeof document === 'object' && document !== null ? { ...document } : {};
  } catch {
    // The page does its work without a preview: it is served even if the core is down or the caller over a limit.
    return {};
  }
}

/** Only what every browser fetches from anywhere: https, and IPFS by the gateway. */
function pictureUrl(image: unknown, gateway: string): string | undefined {
  if (typeof image !== 'string') return undefined;
  const url = image.replace(/^ipfs:\/\/(?:ipfs\/)?/, `${gateway.replace(/\/+$/, '')}/ipfs/`);
  return url.startsWith('https://') ? url : undefined;
}

/** Unicode's embeddings, overrides and isolates, which would reverse what follows, such as the name of the page. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

function cut(text: string, length: number): string {
  const characters = Array.from(text.replaceAll(DIRECTIONS, ''));
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : characters.join('');
}

function meta(property: string, content: string): string {
  return `<meta property="${property}" content="${escapeHtml(content)}" />`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
