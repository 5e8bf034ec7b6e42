import { basicCredentials } from './basic-credentials.ts';
import { decoded } from './decoded.ts';
import { settingText } from './setting-text.ts';

/** Takes the service's own secrets out of a text. */
export type Redact = (text: string) => string;

/** Names of settings whose values are secret as a whole. */
const SECRET_SETTING = /KEY|SECRET|TOKEN|PASSWORD/;
/** Names of parameters in a URL's query whose values are secret, however they look. */
const SECRET_PARAMETER = /key|secret|token|auth|password/i;
/** Settings that are told to everyone: they stand in token URIs and in the URLs of assets. */
const PUBLIC_SETTINGS: ReadonlySet<string> = new Set(['METADATA_BASE_URI', 'ASSET_BASE_URL']);
/** What is shorter is no secret, and would be found in texts that have nothing to do with it. */
const SHORTEST = 6;
const REDACTED = '[redacted]';

const built = new WeakMap<object, Redact>();

/**
 * The one redaction that whatever is logged, replied as an error or stored as the reason of a failure goes through. It
 * knows every configured secret, and of every configured URL all that follows its origin: RPC providers have their keys
 * in the path or the query, and libraries put whole URLs into their messages.
 * @param env The Worker's environment, as it is: what is malformed can be secret as well.
 */
export function redactionOf(env: object): Redact {
  const known = built.get(env);
  if (known !== undefined) return known;
  const redact = redactionFrom(secretsOf(env));
  built.set(env, redact);
  return redact;
}

/** What is taken out -> what stands in its place. */
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

/** The items of a list, and the whole of what only looks like one: a password can have a comma in it. */
function itemsOf(value: string): Set<string> {
  const urls = value.split(/,(?=\s*[a-z][a-z\d+.-]*:\/\/)/i);
  return new Set([...urls, ...value.split(',')].map((item) => item.trim()));
}

function redactionFrom(replacements: ReadonlyMap<string, string>): Redact {
  if (replacements.size === 0) return (text) => text;
  // The longest first: where one secret is a part of another, none of the longer one is left.
  const longestFirst = [...replacements.keys()].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escaped).join('|'), 'gi');
  return (text) => text.replaceAll(pattern, (found) => replacements.get(found.toLowerCase()) ?? REDACTED);
}

/** All that follows the origin, as a whole and in those parts that can be a key. */
function addUrl(replacements: Map<string, string>, url: URL): void {
  const { host, pathname, search, username, password } = url;
  const beyond = `${pathname.replace(/\/+$/, '')}${search}`;
  if (beyond !== '') {
    for (const whole of [`${host}${pathname}${search}`, `${host}${beyond}`]) {
      replacements.set(whole.toLowerCase(), `${host}/${REDACTED}`);
    }
  }
  // Shorter ones, such as `/rpc`, are a part of many other URLs.
  if (beyond.length >= 8) replacements.set(beyond.toLowerCase(), `/${REDACTED}`);
  for (const part of pathname.split('/').filter(looksLikeKey)) addSecret(replacements, part);
  for (const parameter of search.slice(1).split('&')) {
    const [name = '', ...rest] = parameter.split('=');
    const value = rest.join('=');
    if (looksLikeKey(name)) addSecret(replacements, name);
    if (SECRET_PARAMETER.test(name) || looksLikeKey(value)) {
      addSecret(replacements, value);
      // The other reading of a plus.
      addSecret(replacements, value.replaceAll('+', ' '));
    }
  }
  addSecret(replacements, password);
  // A name is no secret, but a key can stand in its place.
  if (password === '' || looksLikeKey(username)) addSecret(replacements, username);
  addSecret(replacements, basicCredentials(url) ?? '');
}

/** Words such as `mainnet` or `require` are a part of many URLs, and of many other texts. */
function looksLikeKey(segment: string): boolean {
  return segment.length >= 12 || (segment.length >= 8 && /\d|[a-z][A-Z]/.test(segment));
}

/** As it is, as it stands in a URL, and a hex key without its prefix. */
function addSecret(replacements: Map<string, string>, secret: string): void {
  for (const plain of [secret, decoded(secret), secret.replace(/^0x/, '')]) {
    for (const spelling of [plain, encodeURIComponent(plain)]) {
      if (spelling.length >= SHORTEST) replacements.set(spelling.toLowerCase(), REDACTED);
    }
  }
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}
