import { basicCredentials, decoded } from './basic-credentials.ts';
import { settingText } from './setting-text.ts';

/** Replaces the service's own secrets in a text. */
export type Redact = (text: string) => string;

/** Names of settings whose whole value is secret. */
const SECRET_SETTING = /KEY|SECRET|TOKEN|PASSWORD/;
/** Names of URL query parameters whose values are always secret. */
const SECRET_PARAMETER = /key|secret|token|auth|password/i;
/** Public settings: they are part of token URIs, of asset URLs and of security.txt. */
const PUBLIC_SETTINGS: ReadonlySet<string> = new Set(['METADATA_BASE_URI', 'ASSET_BASE_URL', 'SECURITY_CONTACT']);
/** Anything shorter would match unrelated text. */
const MIN_LENGTH = 6;
const REDACTED = '[redacted]';
/** Keys of accounts, which are recognised by their form, and beginnings of them. */
const ACCOUNT_KEY = /key_(?:live|test)_\w+/gi;

const built = new WeakMap<object, Redact>();

/**
 * The redaction of the log. It knows every configured secret, every key of an account, and everything after the origin
 * of every configured URL: RPC providers put API keys into the path or the query, and libraries put whole URLs into
 * their messages. What callers read does not go through it, or they could ask which texts are parts of settings.
 * @param env The Worker's environment, unparsed: a malformed setting can be secret too.
 */
export function redactionOf(env: object): Redact {
  const known = built.get(env);
  if (known !== undefined) return known;
  const redact = redactionFrom(secretsOf(env));
  built.set(env, redact);
  return redact;
}

/**
 * The redaction of what one provider says, which may quote its own URL. What is cut must be redacted before: the
 * beginning of a secret is not recognised.
 */
export function redactionOfUrl(url: string): Redact {
  const replacements = new Map<string, string>();
  addUrl(replacements, new URL(url));
  return redactionFrom(replacements);
}

/** Secret text -> its replacement. */
function secretsOf(env: object): Map<string, string> {
  const replacements = new Map<string, string>();
  for (const [name, setting] of Object.entries(env)) {
    const value = settingText(setting);
    if (value === undefined || PUBLIC_SETTINGS.has(name)) continue;
    for (const item of itemsOf(value)) {
      if (URL.canParse(item)) addUrl(replacements, new URL(item));
      else if (SECRET_SETTING.test(name) || item.includes('://')) addSecret(replacements, item);
    }
  }
  return replacements;
}

/** The items of a comma-separated list, and the URLs in it as a whole: a password may contain a comma. */
function itemsOf(value: string): Set<string> {
  const urls = value.split(/,(?=\s*[a-z][a-z\d+.-]*:\/\/)/i);
  return new Set([...urls, ...value.split(',')].map((item) => item.trim()));
}

function redactionFrom(replacements: ReadonlyMap<string, string>): Redact {
  if (replacements.size === 0) return withoutAccountKeys;
  // Longest first: when one secret contains another, the longer one is replaced as a whole.
  const longestFirst = [...replacements.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'gi');
  return (text) =>
    withoutAccountKeys(text.replaceAll(pattern, (found) => replacements.get(found.toLowerCase()) ?? REDACTED));
}

/** Redacts keys of accounts alone: they have a form, so what is redacted tells nothing about the settings. */
export function withoutAccountKeys(text: string): string {
  return text.replaceAll(ACCOUNT_KEY, REDACTED);
}

/** Adds everything after a URL's origin, as a whole and in those parts that may be a key. */
function addUrl(replacements: Map<string, string>, url: URL): void {
  const { host, pathname, search, username, password } = url;
  const beyond = `${pathname.replace(/\/+$/, '')}${search}`;
  if (beyond !== '') {
    for (const whole of [`${host}${pathname}${search}`, `${host}${beyond}`]) {
      replacements.set(whole.toLowerCase(), `${host}/${REDACTED}`);
    }
  }
  // Shorter paths, such as `/rpc`, are part of many other URLs.
  if (beyond.length >= 8) replacements.set(beyond.toLowerCase(), `/${REDACTED}`);
  for (const part of pathname.split('/').filter(looksLikeKey)) addSecret(replacements, part);
  for (const parameter of search.slice(1).split('&')) {
    const [name = '', ...rest] = parameter.split('=');
    const value = rest.join('=');
    if (looksLikeKey(name)) addSecret(replacements, name);
    if (SECRET_PARAMETER.test(name) || looksLikeKey(value)) {
      addSecret(replacements, value);
      // In a query, a plus can also mean a space.
      addSecret(replacements, value.replaceAll('+', ' '));
    }
  }
  addSecret(replacements, password);
  // A user name is not secret, but it may be a key.
  if (password === '' || looksLikeKey(username)) addSecret(replacements, username);
  addSecret(replacements, basicCredentials(url) ?? '');
}

/** Words such as `mainnet` or `require` are part of many other texts, so they are not treated as keys. */
function looksLikeKey(segment: string): boolean {
  return segment.length >= 12 || (segment.length >= 8 && /\d|[a-z][A-Z]/.test(segment));
}

/** Adds a secret as given, URL-decoded, and without a `0x` prefix, each also URL-encoded. */
function addSecret(replacements: Map<string, string>, secret: string): void {
  for (const plain of [secret, decoded(secret), secret.replace(/^0x/, '')]) {
    for (const spelling of [plain, encodeURIComponent(plain)]) {
      if (spelling.length >= MIN_LENGTH) replacements.set(spelling.toLowerCase(), REDACTED);
    }
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
