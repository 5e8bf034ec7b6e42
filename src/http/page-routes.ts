import { type Context, type Handler, Hono } from 'hono';
import { parsePublicSettings } from '../platform/public-settings.ts';
import type { PageData } from './page-data.ts';
import { type PageEnv, serveFile, servePage, servePageFile, serveSitePage } from './pages.ts';
import { securityText } from './security-text.ts';
import { etag, RETAINED_304_HEADERS } from 'hono/etag';
import { certificateCheckData, collectionData } from './visitor-pages.ts';

/** What portal, console and the page of a claim are told: the chains and where IPFS is, and nothing about anybody. */
function chainsData(c: Context<PageEnv>): PageData {
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

/** The check of one certificate. */
export const CERTIFICATE_CHECK_PATH = '/verify/:contractAddress{0[xX][0-9a-fA-F]{40}}/:tokenId{\\d{1,78}}';
/** The page of a collection. */
export const COLLECTION_PATH = '/collection/:chainId{[1-9]\\d{0,15}}/:contractAddress{0[xX][0-9a-fA-F]{40}}';

const certificateCheck = servePage('verify', { dataOf: certificateCheckData });
const noCertificate = servePage('verify', { dataOf: certificateCheckData, status: 404 });
const noCollection = servePage('collection', { dataOf: collectionData, status: 404 });
/** What browsers get at a path that nothing has. */
export const noSitePage = servePage('site/html/not-found', { status: 404 });

/** Replies 304 to a browser that has the page already, whose headers are those of the new reply. */
const unlessKnown = etag({
  retainedHeaders: [...RETAINED_304_HEADERS, 'content-security-policy', 'permissions-policy'],
});

/** Browsers get a page; programs the reply of any unknown path. */
export function toBrowsers(page: Handler<PageEnv>): Handler<PageEnv> {
  return async (c, next) =>
    c.req.header('accept')?.includes('text/html') === true ? await page(c, next) : await next();
}

/** Leads from a path that ends with a slash to the page without it. */
const withoutSlash: Handler<PageEnv> = async (c, next) => {
  const { pathname, search } = new URL(c.req.url);
  return pathname.endsWith('/') ? c.redirect(pathname.replace(/\/+$/, '') + search, 308) : await next();
};

/** The pages for the browser, and their files. They need no database. */
export const pageRoutes = new Hono<PageEnv>()
  .get('/', unlessKnown, serveSitePage)
  .on(
    'GET',
    ['/console/', '/portal/', '/gate/', '/claim/', '/claim/:id/', '/docs/*', '/verify/*', '/collection/*'],
    withoutSlash,
  )
  .get('/docs/*', unlessKnown, serveSitePage, toBrowsers(noSitePage))
  .get('/console', unlessKnown, servePage('console', { dataOf: chainsData }))
  .get('/portal', unlessKnown, servePage('portal', { dataOf: chainsData }))
  .get('/claim/:id', unlessKnown, servePage('claim', { dataOf: chainsData }))
  .get('/gate', unlessKnown, servePage('gate', { usesCamera: true }))
  .get('/verify', unlessKnown, certificateCheck)
  .get(CERTIFICATE_CHECK_PATH, unlessKnown, certificateCheck)
  .get('/verify/*', toBrowsers(noCertificate))
  .get(COLLECTION_PATH, unlessKnown, servePage('collection', { dataOf: collectionData }))
  .get('/collection/*', toBrowsers(noCollection))
  .get('/favicon.ico', unlessKnown, serveFile('/icon.svg', 'image/svg+xml'))
  .get('/robots.txt', unlessKnown, serveFile('/site/robots.txt', 'text/plain; charset=utf-8'))
  .get('/llms.txt', unlessKnown, serveFile('/site/llms.txt', 'text/plain; charset=utf-8'))
  .get('/.well-known/security.txt', securityText)
  .get('/pages/:page/:file', unlessKnown, servePageFile);
