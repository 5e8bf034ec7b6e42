import ipaddr from 'ipaddr.js';

/** A range of IP addresses in CIDR notation (RFC 4632, RFC 4291). */
export interface AddressRange {
  /** Canonical, such as `203.0.113.0/24` or `2001:db8::/32`. */
  readonly text: string;
  readonly network: ipaddr.IPv4 | ipaddr.IPv6;
  readonly prefix: number;
}

/**
 * Parses a range, or a single address.
 *
 * Octal and shortened IPv4 addresses, zones, IPv4-mapped IPv6 addresses and bits beyond the prefix are rejected: each
 * could allow other addresses than the writer means.
 */
export function parseAddressRange(text: string): { readonly range: AddressRange } | { readonly issue: string } {
  const [, address = '', digits] = /^([0-9a-fA-F.:]{2,45})(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const isIPv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isIPv4 && !(address.includes(':') && ipaddr.IPv6.isValid(address))) {
    return { issue: 'must be an IPv4 or IPv6 address, or a range of them such as 203.0.113.0/24' };
  }
  const network = isIPv4 ? ipaddr.IPv4.parse(address) : ipaddr.IPv6.parse(address);
  const bits = isIPv4 ? 32 : 128;
  const prefix = digits === undefined ? bits : Number(digits);
  if (prefix > bits) return { issue: `must have a prefix of at most ${bits} bits` };
  if (network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress()) return { issue: 'must be written as IPv4' };
  const range = { text: `${spelled(network)}/${prefix}`, network, prefix };
  const first = firstOf(range);
  return first === spelled(network)
    ? { range }
    : { issue: `has bits beyond its prefix: did you mean ${first}/${prefix}?` };
}

/** Whether an address is in a range; false for a malformed address. */
export function includesAddress({ network, prefix }: AddressRange, address: string | undefined): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  // An IPv4-mapped address (::ffff:203.0.113.7) counts as the IPv4 address.
  return isWithin(ipaddr.process(address), network, prefix);
}

/** Whether all addresses of `inner` are in `outer`. */
export function includesRange(outer: AddressRange, inner: AddressRange): boolean {
  return outer.prefix <= inner.prefix && isWithin(inner.network, outer.network, outer.prefix);
}

function isWithin(address: AddressRange['network'], network: AddressRange['network'], prefix: number): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, prefix);
  return network instanceof ipaddr.IPv6 && address.match(network, prefix);
}

function firstOf({ text, network }: AddressRange): string {
  return spelled(
    network instanceof ipaddr.IPv4
      ? ipaddr.IPv4.networkAddressFromCIDR(text)
      : ipaddr.IPv6.networkAddressFromCIDR(text),
  );
}

function spelled(address: AddressRange['network']): string {
  return address instanceof ipaddr.IPv4 ? address.toString() : address.toRFC5952String();
}
