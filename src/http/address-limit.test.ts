import { describe, expect, it } from 'vitest';
import { networkOf } from './address-limit.ts';

describe('networkOf', () => {
  it('is the address itself for IPv4, mapped into IPv6 or not', () => {
    expect(networkOf('203.0.113.7')).toBe('203.0.113.7');
    expect(networkOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
  });

  it('is the same for all addresses of an IPv6 /64, and different for its neighbour', () => {
    expect(networkOf('2001:db8:0:1::1')).toBe(networkOf('2001:db8::1:ffff:ffff:ffff:ffff'));
    expect(networkOf('2001:db8:0:1::1')).not.toBe(networkOf('2001:db8:0:2::1'));
  });

  it('is the same for all callers whose address is missing or malformed', () => {
    expect([networkOf(undefined), networkOf('nonsense'), networkOf('')]).toEqual(['unknown', 'unknown', 'unknown']);
  });
});
