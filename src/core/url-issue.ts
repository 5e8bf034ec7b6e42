/** The longest URL outside of metadata, in bytes of UTF-8. A token URI's length determines its gas cost. */
export const MAX_URL_BYTES = 2_048;
/** Schemes of images, videos and token documents. */
const MEDIA_SCHEMES = ['http', 'https', 'ipfs', 'ar'] as const;

/**
 * What a URL is for:
 * - `page`: a web page, or another target on a web server
 * - `media`: an image, a video or a token's document
 * - `base`: the prefix of document URLs
 */
export type UrlUse = 'page' | 'media' | 'base';

const SCHEMES: Readonly<Record<UrlUse, readonly string[]>> = {
  page: ['http', 'https'],
  media: MEDIA_SCHEMES,
  base: MEDIA_SCHEMES,
};

/**
 * What RFC 3987 forbids in a URL: spaces, control characters, lone surrogates, bidirectional formatting characters, and
 * some punctuation. Braces are allowed, because ERC-1155 URIs contain `{id}`. Parsers silently drop or replace many of
 * these characters, so that the URL checked would not be the URL stored.
 */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}<>"\\^`|]/u;
/** Joiners, which some scripts and emoji need. */
const JOINERS = /[\u200c\u200d]/g;

/**
 * What is wrong with a URL for its use; undefined when nothing is. URLs are stored and served as given; the host and
 * the path may have letters of any script.
 * @param maxBytes The longest URL, in bytes of UTF-8.
 */
export function urlIssue(text: string, use: UrlUse, maxBytes = MAX_URL_BYTES): string | undefined {
  const schemes = SCHEMES[use];
  const [, scheme = '', authority = ''] = /^([a-z]+):\/\/([^/?#]+)/i.exec(text) ?? [];
  if (!schemes.includes(scheme.toLowerCase())) {
    return `must be a URL that begins with ${schemes.map((name) => `${name}://`).join(' or ')} and a host`;
  }
  if (new TextEncoder().encode(text).length > maxBytes) return `must be at most ${maxBytes} bytes of UTF-8`;
  if (FORBIDDEN.test(text.replaceAll(JOINERS, ''))) {
    return 'must not contain spaces, control characters, invisible characters or any of < > " \\ ^ ` |';
  }
  if (authority.includes('@')) return 'must not contain credentials';
  if (/%(?![0-9a-f]{2})/i.test(text)) return 'must have two hex digits after each %';
  if (use === 'base' && /[?#]/.test(text)) return 'must not have a query or a fragment: the token id is appended to it';
  return URL.canParse(text) ? undefined : 'must be a URL with a valid host';
}
