import type { RecordedSecret } from './run-record.ts';

const SECRET_NAME = /KEY|SECRET|TOKEN|PASSWORD/;
/** Public ones, and those that say where something is or what may be done. */
const PLAIN_NAME = /^PUBLIC_|^SECURITY_CONTACT$|^TRANSFER_TEST_SIGNATURE$|_SECONDS$|_ADDRESS/;
/** Shorter ones would be found in other texts. */
const MIN_LENGTH = 8;
/** The length from which a part of a URL's path can be a provider's key; words such as `mainnet` are shorter. */
const KEY_LENGTH = 12;

/** The secrets in a Worker's settings: keys and passwords, and the keys in the URLs of providers. */
export function secretsInSettings(settings: Readonly<Record<string, string>>): RecordedSecret[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (PLAIN_NAME.test(name)) return [];
    const items = value.split(',').flatMap((item) => {
      if (URL.canParse(item)) return keysInUrl(new URL(item));
      return SECRET_NAME.test(name) ? [item, ...encryptionKeyIn(item)] : [];
    });
    return items.filter((secret) => secret.length >= MIN_LENGTH).map((secret) => ({ what: name, secret }));
  });
}

/** An encryption key is `<name>.<base64>`. */
const encryptionKeyIn = (item: string) => (/^\w+\./.test(item) ? [item.slice(item.indexOf('.') + 1)] : []);

function keysInUrl({ protocol, username, password, pathname, searchParams }: URL): string[] {
  // The name of a role or a database is no secret.
  if (protocol.startsWith('postgres')) return [decodeURIComponent(password)];
  const inPath = pathname.split('/').filter((part) => part.length >= KEY_LENGTH);
  return [username, password, ...inPath, ...searchParams.values()].map((part) => decodeURIComponent(part));
}
