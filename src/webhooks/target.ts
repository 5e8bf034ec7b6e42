import ipaddr from 'ipaddr.js';

/** Names that resolvers answer with the machine itself, or with the network it stands in. */
const PRIVATE_NAME = /^localhost$|\.(localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/;

/**
 * Why an event may not be sent to a URL; undefined when it may. Only https to public addresses: whoever sets a webhook
 * URL must not be able to reach what stands behind the service. The URL parser has brought decimal, octal and
 * hexadecimal spellings of IPv4 into their dotted form before this looks.
 * @param allowPrivate The development setting: http and private addresses too.
 */
export function targetFault(target: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(target)) return 'is not a URL';
  const { protocol, hostname, username, password } = new URL(target);
  if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:')) return 'must be an https URL';
  if (username !== '' || password !== '') return 'must not carry credentials';
  if (allowPrivate) return undefined;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) {
    return ipaddr.process(host).range() === 'unicast' ? undefined : 'must be a public address';
  }
  return PRIVATE_NAME.test(host) || !host.includes('.') ? 'must be a public name' : undefined;
}
