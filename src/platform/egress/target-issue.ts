import ipaddr from 'ipaddr.js';

/** Names that resolve to the local machine or network. */
const PRIVATE_NAME = /^localhost$|\.(localhost|local|localdomain|internal|intranet|private|lan|home|corp|home\.arpa)$/;

/** Public wildcard DNS services: their names resolve to an address written in the name, or to the local machine. */
const WILDCARD_DNS = /(^|\.)(nip\.io|sslip\.io|xip\.io|localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|local\.gd)$/;

/** An IPv4 address in a name, with dots or dashes: `10-0-0-1.example.com`. */
const ADDRESS_IN_NAME = /(?<![0-9])(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?![0-9]))/g;

/** In a public range, but the address of Azure's platform services. */
const PLATFORM_ADDRESS = '168.63.129.16';

/** Ports of web servers: a request to another port might be meaningful to another protocol. */
const PORTS: ReadonlySet<string> = new Set(['', '8443']);

/**
 * What is wrong with a webhook URL; undefined when nothing is. Only https to public addresses on the ports of web
 * servers is allowed, so that a webhook URL cannot reach the service's internal network. The URL parser normalises
 * decimal, octal and hexadecimal IPv4 addresses first. What a name resolves to is checked by `createTargetCheck`.
 * @param allowPrivate The development setting: allows http, private addresses and other ports.
 */
export function targetIssue(target: string, allowPrivate: boolean): string | undefined {
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

/** A URL's hostname without IPv6 brackets and trailing dots. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/** @param address IPv4 or IPv6. An IPv4-mapped IPv6 address is treated as IPv4. */
export function isPublicAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || parsed.toString() === PLATFORM_ADDRESS) return false;
  // The global unicast range. Addresses that translate to IPv4 are in ranges that are not `unicast`.
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(ipaddr.IPv6.parse('2000::'), 3);
}

function isPrivateName(host: string): boolean {
  if (!host.includes('.') || PRIVATE_NAME.test(host) || WILDCARD_DNS.test(host)) return true;
  return Array.from(host.matchAll(ADDRESS_IN_NAME), ([, ...bytes]) => bytes.join('.')).some(
    (address) => ipaddr.IPv4.isValidFourPartDecimal(address) && !isPublicAddress(address),
  );
}
