import type { Handler } from 'hono';
import { parsePublicSettings } from '../platform/public-settings.ts';
import type { PageEnv } from './pages.ts';

/** How long the file holds, in milliseconds: RFC 9116 recommends less than a year. */
const VALID_MS = 90 * 86_400_000;

/** `/.well-known/security.txt` (RFC 9116): where a weakness is reported, if the operator says so. */
export const securityText: Handler<PageEnv> = async (c, next) => {
  const { SECURITY_CONTACT: contact } = parsePublicSettings(c.env);
  if (contact === undefined) return await next();
  const { origin } = new URL(c.req.url);
  c.header('Cache-Control', 'public, max-age=86400');
  return c.text(
    [
      `Contact: ${contact}`,
      `Expires: ${new Date(Date.now() + VALID_MS).toISOString()}`,
      'Preferred-Languages: en',
      `Canonical: ${origin}/.well-known/security.txt`,
      '',
    ].join('\n'),
  );
};
