import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { includesAddress, includesRange, parseAddressRange } from './address-range.ts';

function range(text: string) {
  const parsed = parseAddressRange(text);
  if ('issue' in parsed) throw new Error(parsed.issue);
  return parsed.range;
}

describe('parseAddressRange', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7/32'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['255.255.255.255/32', '255.255.255.255/32'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:db8:0:0::/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::1/128', '::1/128'],
  ])('takes %s, spelled %s', (text, spelled) => expect(range(text).text).toBe(spelled));

  it.each([
    '',
    'any',
    'example.com',
    '203.0.113',
    '203.0.113.0.0',
    '203.0.113.256',
    '010.0.0.1',
    '0x7f.0.0.1',
    '2130706433',
    ' 203.0.113.7',
    '203.0.113.7 ',
    '203.0.113.0/33',
    '203.0.113.0/-1',
    '203.0.113.0/024',
    '203.0.113.0/',
    '203.0.113.0/255.255.255.0',
    '203.0.113.7/24',
    '0.0.0.1/0',
    '2001:db8::1/64',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:203.0.113.0/120',
    '::ffff:cb00:7100/128',
    ':::',
    '[::1]',
    '1',
  ])('refuses %j', (text) => expect(parseAddressRange(text)).toEqual({ issue: expect.any(String) }));

  it('reads its own spelling as the same range', () => {
    const addresses = fc.oneof(fc.ipV4(), fc.ipV6());
    fc.assert(
      fc.property(addresses, fc.integer({ min: 0, max: 128 }), (address, prefix) => {
        const parsed = parseAddressRange(`${address}/${prefix}`);
        fc.pre('range' in parsed);
        expect(range(parsed.range.text)).toEqual(parsed.range);
      }),
      { maxSkipsPerRun: 10_000, numRuns: 20 },
    );
  });
});

describe('includesAddress', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0'],
    ['203.0.113.0/24', '203.0.113.255'],
    ['203.0.113.0/25', '203.0.113.127'],
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['0.0.0.0/0', '198.51.100.1'],
    ['2001:db8::/32', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['2001:db8::/33', '2001:db8:7fff::'],
    ['::/0', '2001:db8::1'],
  ])('%s has %s', (text, address) => expect(includesAddress(range(text), address)).toBe(true));

  it.each([
    ['203.0.113.0/24', '203.0.114.0'],
    ['203.0.113.0/25', '203.0.113.128'],
    ['203.0.113.7', '203.0.113.8'],
    ['0.0.0.0/0', '2001:db8::1'],
    ['::/0', '198.51.100.1'],
    ['::/0', '::ffff:198.51.100.1'],
    ['2001:db8::/33', '2001:db8:8000::'],
    ['0.0.0.0/0', 'unknown'],
    ['0.0.0.0/0', ''],
    ['0.0.0.0/0', '203.0.113.7, 198.51.100.1'],
  ])('%s has not %j', (text, address) => expect(includesAddress(range(text), address)).toBe(false));

  it('is false where the address is not known', () => {
    expect(includesAddress(range('0.0.0.0/0'), undefined)).toBe(false);
  });
});

describe('includesRange', () => {
  it.each([
    ['203.0.113.0/24', '203.0.113.0/24', true],
    ['203.0.113.0/24', '203.0.113.128/25', true],
    ['203.0.113.0/24', '203.0.113.7', true],
    ['203.0.113.0/24', '203.0.112.0/23', false],
    ['203.0.113.0/25', '203.0.113.128/25', false],
    ['0.0.0.0/0', '::/0', false],
    ['::/0', '203.0.113.7', false],
    ['2001:db8::/32', '2001:db8:1::/48', true],
    ['2001:db8::/48', '2001:db8::/32', false],
  ])('%s, %s: %s', (outer, inner, expected) => {
    expect(includesRange(range(outer), range(inner))).toBe(expected);
  });
});
