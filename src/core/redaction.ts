/** Replaces the service's own secrets in a text. */
export type Redact = (text: string) => string;

/** Names of settings whose whole value is secret. */
const SECRET_SETTING = /KEY|SECRET|TOKEN|PASSWORD/;
/** Names of URL query parameters whose values are always secret. */
const SECRET_PARAMETER = /key|secret|token|auth|password/i;
/** Public settings: they are part of token URIs and asset URLs. */
const PUBLIC_SETTINGS: ReadonlySet<string> = new Set(['METADATA_BASE_URI', 'ASSET_BASE_URL']);
/** Anything shorter would match unrelated text. */
const MIN_LENGTH = 6;
const REDACTED = '[redacted]';

const built = new WeakMap<object, Redact>();

/**
 * The redaction that everything logged, returned as an error or stored as the reason of a failure goes through. It knows
 * every configured secret, and everything after the origin of every configured URL: RPC providers put API keys into the
 * path or the query, and libraries put whole URLs into their messages.
 * @param env The Worker's environment, unparsed: a malformed setting can be secret too.
 */
export function redactionOf(env: object): Redact {
  const known = built.get(env);
  if (known !== undefined) return known;
  const redact = redactionFrom(secretsOf(env));
  built.set(env, redact);
  return redact;
}

/** Secret text -> its replacement. */
function secretsOf(env: object): Map<string, string> {
  const replacements = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (typeof value !== 'string' || PUBLIC_SETTINGS.has(name)) continue;
    for (const item of value.split(',').map((part) => part.trim())) {
      if (URL.canParse(item)) addUrl(replacements, new URL(item));
      else if (SECRET_SETTING.test(name)) addSecret(replacements, item);
    }
  }
  return replacements;
}

function redactionFrom(replacements: ReadonlyMap<string, string>): Redact {
  if (replacements.size === 0) return (text) => text;
  // Longest first: when one secret contains another, the longer one is replaced as a whole.
  const longestFirst = [...replacements.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'gi');
  return (text) => text.replaceAll(pattern, (found) => replacements.get(found.toLowerCase()) ?? REDACTED);
}

/** Adds everything after a URL's origin, as a whole and in those parts that may be a key. */
function addUrl(replacements: Map<string, string>, url: URL): void {
  const { host, pathname, search, searchParams, username, password } = url;
  const beyond = `${pathname.replace(/\/+$/, '')}${search}`;
  if (beyond !== '') {
    for (const whole of [`${host}${pathname}${search}`, `${host}${beyond}`]) {
      replacements.set(whole.toLowerCase(), `${host}/${REDACTED}`);
    }
  }
  // Shorter paths, such as `/rpc`, are part of many other URLs.
  if (beyond.length >= 8) replacements.set(beyond.toLowerCase(), `/${REDACTED}`);
  const values = [...searchParams].filter(([name, value]) => SECRET_PARAMETER.test(name) || looksLikeKey(value));
  // A user name is not secret, but without a password it may be a key.
  const user = password === '' ? username : password;
  for (const part of [...pathname.split('/').filter(looksLikeKey), ...values.map(([, value]) => value), user]) {
    addSecret(replacements, part);
  }
}

/** Words such as `mainnet` or `require` are part of many other texts, so they are not treated as keys. */
function looksLikeKey(segment: string): boolean {
  return segment.length >= 16 || (segment.length >= 8 && /\d/.test(segment));
}

/** Adds a secret as given, URL-encoded, URL-decoded, and without a `0x` prefix. */
function addSecret(replacements: Map<string, string>, secret: string): void {
  for (const spelling of [secret, encodeURIComponent(secret), decoded(secret), secret.replace(/^0x/, '')]) {
    if (spelling.length >= MIN_LENGTH) replacements.set(spelling.toLowerCase(), REDACTED);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
