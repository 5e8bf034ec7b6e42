import ipaddr from 'ipaddr.js';

/** Names that resolvers answer with the machine itself, or with the network it stands in. */
const PRIVATE_NAME = /^localhost$|\.(localhost|local|localdomain|internal|intranet|private|lan|home|corp|home\.arpa)$/;

/** Public services whose every name leads to the address that is written in the name, or to the machine itself. */
const WILDCARD_DNS = /(^|\.)(nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|local\.gd)$/;

/** An IPv4 address inside a name, with dots or dashes: `10-0-0-1.example.com`. */
const ADDRESS_IN_NAME = /(?<![0-9])(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?![0-9]))/g;

/** Public by its range, and yet a door into the platform of a cloud (Azure). */
const PLATFORM_ADDRESS = '168.63.129.16';

/** Where web servers are: on other ports a request could be made to mean something to what is no web server. */
const PORTS: ReadonlySet<string> = new Set(['', '8443']);

/**
 * Why an event may not be sent to a URL; undefined when it may. Only https to public addresses, on the ports of web servers: whoever sets a webhook
 * URL must not be able to reach what stands behind the service. The URL parser has brought decimal, octal and
 * hexadecimal spellings of IPv4 into their dotted form before this looks. What a name resolves to is asked by
 * `createTargetCheck`.
 * @param allowPrivate The development setting: http, private addresses and other ports too.
 */
export function targetFault(target: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(target)) return 'is not a URL';
  const { protocol, hostname, port, username, password } = new URL(target);
  if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) return 'must be an https URL';
  if (username !== '' || password !== '') return 'must not carry credentials';
  if (allowPrivate) return undefined;
  if (!PORTS.has(port)) return 'must have port 443 or 8443';
  const host = hostOf(hostname);
  if (ipaddr.isValid(host)) return isPublicAddress(host) ? undefined : 'must be a public address';
  return isPrivateName(host) ? 'must be a public name' : undefined;
}

/** A URL's hostname without the brackets of IPv6 and the dots that end a name. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** @param address IPv4 or IPv6, in any spelling. An IPv4 address that is mapped into IPv6 is looked at as what it is. */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === PLATFORM_ADDRESS) return false;
  // All that is in use of IPv6. What is translated to IPv4 has ranges of its own, none of them `unicast`.
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(ipaddr.IPv6.parse('2000::'), 3);
}

function isPrivateName(host: string): boolean {
  if (!host.includes('.') || PRIVATE_NAME.test(host) || WILDCARD_DNS.test(host)) return true;
  return Array.from(host.matchAll(ADDRESS_IN_NAME), ([, ...bytes]) => bytes.join('.')).some(
    (address) => ipaddr.IPv4.isValidFourPartDecimal(address) && !isPublicAddress(address),
  );
}
