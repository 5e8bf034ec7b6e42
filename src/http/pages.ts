import type { Context, Handler } from 'hono';
import { withData, type PageData } from './page-data.ts';

/**
 * Reads a public document as JSON; undefined if there is none.
 * @param tokenId As in the path; undefined: the document of the contract's collection.
 */
export type ReadDocument = (contractAddress: string, tokenId: string | undefined) => Promise<string | undefined>;

/** What pages need of a Worker: the built pages. Its settings are parsed where a page shows them. */
export interface PageEnv {
  Bindings: { readonly ASSETS: Fetcher };
  Variables: {
    /** Set on the pages of a certificate's check and of a collection. */
    readDocument: ReadDocument;
  };
}

/** The policy that a page states for itself, so that a saved copy keeps it. */
const POLICY = /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/;

interface PageOptions {
  /** What the page is told; a page that is told nothing must have no placeholders. */
  readonly dataOf?: (c: Context<PageEnv>) => PageData | Promise<PageData>;
  /** 404 for a page that says that there is nothing at its path. */
  readonly status?: 200 | 404;
  readonly usesCamera?: boolean;
}

/** Serves a page of `src/pages/`, with the Content-Security-Policy from its index.html as a header. */
export function servePage(name: string, { dataOf, ...options }: PageOptions = {}): Handler<PageEnv> {
  return async (c) => {
    const built = await builtPage(c, name);
    if (built === undefined) throw new Error(`The page ${name} is not built`);
    return replyWith(c, dataOf === undefined ? built : withData(built, await dataOf(c)), options);
  };
}

/**
 * Serves a page of the site: `/`, `/docs` and what is below it, each with `.md` also as Markdown. What is no page is
 * left to the next handler.
 */
export const serveSitePage: Handler<PageEnv> = async (c, next) => {
  const { path } = c.req;
  if (/^\/docs(?:\/[\w-]+)+\.md$/.test(path))
    return await serveFile(`/site/markdown${path}`, 'text/markdown; charset=utf-8')(c, next);
  const built = /^\/(?:docs(?:\/[\w.-]+)*)?$/.test(path) ? await builtPage(c, `site/html${path}`) : undefined;
  return built === undefined ? await next() : replyWith(c, built);
};

/** The HTML of a page; undefined if there is none of this name. */
async function builtPage(c: Context<PageEnv>, name: string): Promise<string | undefined> {
  const asset = await c.env.ASSETS.fetch(new URL(`/${name}/index.html`.replace('//', '/'), c.req.url));
  return asset.ok ? await asset.text() : undefined;
}

function replyWith(
  c: Context<PageEnv>,
  html: string,
  { status = 200, usesCamera = false }: Pick<PageOptions, 'status' | 'usesCamera'> = {},
): Response {
  const policy = POLICY.exec(html)?.[1];
  if (policy === undefined) throw new Error(`The page at ${c.req.path} has no policy`);
  c.header('Content-Security-Policy', `${policy}; frame-ancestors 'none'`);
  const camera = usesCamera ? 'self' : '';
  c.header('Permissions-Policy', `camera=(${camera}), geolocation=(), microphone=(), payment=(), usb=()`);
  c.header('Cache-Control', 'no-cache');
  return c.html(html, status);
}

/** Serves a built file at a path of its own. One that is not there is left to the next handler. */
export function serveFile(name: string, type: string): Handler<PageEnv> {
  return async (c, next) => {
    const asset = await c.env.ASSETS.fetch(new URL(name, c.req.url));
    if (asset.status !== 200) return await next();
    return new Response(asset.body, { headers: { 'Content-Type': type, 'Cache-Control': 'no-cache' } });
  };
}

/**
 * Serves a file of a page: `/pages/:page/:file`. Not its index.html, which has its headers only at the page's own path.
 * What is no file is left to the next handler.
 */
export const servePageFile: Handler<PageEnv> = async (c, next) => {
  const url = new URL(c.req.url);
  if (!/\.(?:css|js|json|png)$/.test(url.pathname)) return await next();
  const asset = await c.env.ASSETS.fetch(new URL(url.pathname.slice('/pages'.length), url));
  if (asset.status !== 200) return await next();
  const reply = new Response(asset.body, asset);
  reply.headers.set('Cache-Control', 'no-cache');
  return reply;
};
