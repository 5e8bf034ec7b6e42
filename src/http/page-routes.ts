import { Hono, type Handler } from 'hono';
import { certificateCheckData } from './certificate-check-page.ts';
import { chainsData } from './page-chains.ts';
import { type PageEnv, servePage, servePageFile, serveSitePage } from './pages.ts';

/** The check of one certificate. */
export const CERTIFICATE_CHECK_PATH = '/verify/:contractAddress{0[xX][0-9a-fA-F]{40}}/:tokenId{\\d{1,78}}';

const certificateCheck = servePage('verify', certificateCheckData);
const noCertificate = servePage('verify', certificateCheckData, 404);
const noSitePage = servePage('site/html/not-found', undefined, 404);

/** Browsers get a page; programs the reply of any unknown path. */
function toBrowsers(page: Handler<PageEnv>): Handler<PageEnv> {
  return async (c, next) =>
    c.req.header('accept')?.includes('text/html') === true ? await page(c, next) : await next();
}

/** The pages for the browser, and their files. They need no database. */
export const pageRoutes = new Hono<PageEnv>()
  .get('/', serveSitePage)
  .get('/docs/*', serveSitePage, toBrowsers(noSitePage))
  .get('/console', servePage('console', chainsData))
  .get('/portal', servePage('portal', chainsData))
  .get('/verify', certificateCheck)
  .get(CERTIFICATE_CHECK_PATH, certificateCheck)
  .get('/verify/*', toBrowsers(noCertificate))
  .get('/pages/:page/:file', servePageFile);
