import type { Context, Handler } from 'hono';
import { notFoundReply } from './error-reply.ts';
import type { AppEnv } from './router.ts';

/** The policy that a page states for itself, so that a saved copy keeps it. */
const POLICY = /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/;

/**
 * Serves a page of `src/pages/`, with the Content-Security-Policy from its index.html as a header.
 * @param settings What the page needs to know, as JSON in its element with the id `settings`.
 */
export function servePage(name: string, settings?: (c: Context<AppEnv>) => object): Handler<AppEnv> {
  return async (c) => {
    const asset = await c.env.ASSETS.fetch(new URL(`/${name}/index.html`, c.req.url));
    const html = await asset.text();
    const policy = POLICY.exec(html)?.[1];
    if (!asset.ok || policy === undefined) throw new Error(`The page ${name} is not built: ${asset.status}`);
    c.header('Content-Security-Policy', `${policy}; frame-ancestors 'none'`);
    c.header('Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()');
    c.header('Cache-Control', 'no-cache');
    return c.html(settings === undefined ? html : html.replace('{settings}', () => scriptJson(settings(c))));
  };
}

/** Serves a script or a style sheet of a page: `/pages/:page/:file`. */
export const servePageFile: Handler<AppEnv> = async (c) => {
  const url = new URL(c.req.url);
  const headers = new Headers();
  const known = c.req.header('if-none-match');
  if (known !== undefined) headers.set('if-none-match', known);
  const asset = await c.env.ASSETS.fetch(new URL(url.pathname.slice('/pages'.length), url), { headers });
  if (asset.status !== 200 && asset.status !== 304) return notFoundReply(c);
  const reply = new Response(asset.body, asset);
  reply.headers.set('Cache-Control', 'no-cache');
  return reply;
};

/** JSON that cannot end the script element it stands in. */
function scriptJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
