/** The longest URL, in bytes of UTF-8: what a token's URI costs on chain depends on it. */
const MAX_BYTES = 2_048;
/** Where a picture, a film or a token's document may be. */
const MEDIA_SCHEMES = ['http', 'https', 'ipfs', 'ar'] as const;

/**
 * What a URL is for:
 * - `page`: people open it
 * - `media`: a picture, a film or a document of a token
 * - `base`: the addresses of documents begin with it
 */
export type UrlUse = 'page' | 'media' | 'base';

const SCHEMES: Readonly<Record<UrlUse, readonly string[]>> = {
  page: ['http', 'https'],
  media: MEDIA_SCHEMES,
  base: MEDIA_SCHEMES,
};

/**
 * What RFC 3987 keeps out of a URL: spaces, control characters, half surrogate pairs, marks that turn the direction of
 * text, and some signs. Braces are taken: ERC-1155 has `{id}` in URIs. Parsers quietly drop or replace many of these, so
 * what is checked would not be what is stored.
 */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}<>"\\^`|]/u;
/** Joiners, which some scripts and emoji cannot do without. */
const JOINERS = /[\u200c\u200d]/g;

/**
 * Why a text is no URL for its use; undefined where it is one. A URL is kept and served as it was given; letters of any
 * script are taken in its host and its path.
 */
export function urlFault(text: string, use: UrlUse): string | undefined {
  const schemes = SCHEMES[use];
  const [, scheme = '', authority = ''] = /^([a-z]+):\/\/([^/?#]+)/i.exec(text) ?? [];
  if (!schemes.includes(scheme.toLowerCase())) {
    return `must be a URL that begins with ${schemes.map((name) => `${name}://`).join(' or ')} and a host`;
  }
  if (new TextEncoder().encode(text).length > MAX_BYTES) return `must be at most ${MAX_BYTES} bytes of UTF-8`;
  if (FORBIDDEN.test(text.replaceAll(JOINERS, ''))) {
    return 'must not contain spaces, control characters, invisible characters or any of < > " \\ ^ ` |';
  }
  if (authority.includes('@')) return 'must not contain a user name or a password';
  if (/%(?![0-9a-f]{2})/i.test(text)) return 'must have two hex digits after each %';
  if (use === 'base' && /[?#]/.test(text)) return 'must not have a query or a fragment: the token is added at its end';
  return URL.canParse(text) ? undefined : 'must be a URL: its host cannot be read';
}
