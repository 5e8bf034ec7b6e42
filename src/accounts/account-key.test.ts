import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KEY_KINDS, excessOver, mayComeFrom, rightsOf, type KeyRights } from './account-key.ts';
import { SCOPES } from '../platform/database/vocabulary/scope.ts';

const soon = new Date('2030-01-01T00:00:00Z');
const later = new Date('2030-01-02T00:00:00Z');
const key: KeyRights = {
  kind: 'live',
  scopes: ['read', 'mint', 'keys'],
  allowedAddresses: ['203.0.113.0/24', '2001:db8::/32'],
  expiresAt: soon,
};

const rights = fc.record({
  kind: fc.constantFrom(...KEY_KINDS),
  scopes: fc.subarray([...SCOPES]),
  allowedAddresses: fc.option(
    fc.subarray(['0.0.0.0/0', '203.0.113.0/24', '203.0.113.7/32', '::/0', '2001:db8::/32', '2001:db8::1/128'], {
      minLength: 1,
    }),
  ),
  expiresAt: fc.option(fc.constantFrom(soon, later)),
});

describe('excessOver', () => {
  it.each<[string, Partial<KeyRights>, string[]]>([
    ['the same', {}, []],
    ['fewer scopes', { scopes: ['read'] }, []],
    ['a narrower range', { allowedAddresses: ['203.0.113.128/25'] }, []],
    ['an earlier end', { expiresAt: new Date(0) }, []],
    [
      'another scope',
      { scopes: ['read', 'deploy', 'ownership'] },
      ['it has the scope deploy', 'it has the scope ownership'],
    ],
    ['another kind', { kind: 'test' }, ['it is a test key']],
    ['a wider range', { allowedAddresses: ['203.0.112.0/23'] }, ['it works from 203.0.112.0/23']],
    ['one range too many', { allowedAddresses: ['203.0.113.7/32', '::/0'] }, ['it works from ::/0']],
    ['any address', { allowedAddresses: null }, ['it works from any address']],
    ['a later end', { expiresAt: later }, ['it expires later']],
    ['no end', { expiresAt: null }, ['it expires later']],
  ])('%s', (_, fields, excess) => expect(excessOver(key, { ...key, ...fields })).toEqual(excess));

  it('is empty for the key itself', () => {
    fc.assert(
      fc.property(rights, (a) => {
        expect(excessOver(a, a)).toEqual([]);
      }),
    );
  });

  it('cannot be gained in steps: a key within a second one is within every third one that contains the second', () => {
    const few = fc.record({
      kind: fc.constant('live' as const),
      scopes: fc.subarray(SCOPES.slice(0, 2)),
      allowedAddresses: fc.option(fc.subarray(['0.0.0.0/0', '203.0.113.0/24'], { minLength: 1 })),
      expiresAt: fc.option(fc.constantFrom(soon, later)),
    });
    fc.assert(
      fc.property(few, few, few, (a, b, c) => {
        const steps = [...excessOver(a, b), ...excessOver(b, c)];
        expect(steps.length > 0 || excessOver(a, c).length === 0).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is empty for the rights of a new key, whatever limits the request omits', () => {
    fc.assert(
      fc.property(rights, (creator) => {
        expect(excessOver(creator, rightsOf({ scopes: creator.scopes }, creator))).toEqual([]);
      }),
    );
  });
});

describe('rightsOf', () => {
  it('limits a key of an operator only by what the request names', () => {
    expect(rightsOf({ scopes: ['mint'] }, undefined)).toEqual({
      kind: 'live',
      scopes: ['mint'],
      allowedAddresses: null,
      expiresAt: null,
    });
  });
});

describe('mayComeFrom', () => {
  it('is true for every address, and for an unknown one, if there are no ranges', () => {
    for (const address of ['203.0.113.7', '2001:db8::1', undefined, 'unknown']) {
      expect(mayComeFrom({ ...key, allowedAddresses: null }, address)).toBe(true);
    }
  });

  it('is true within one of the ranges, and nowhere else', () => {
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1'])
      expect(mayComeFrom(key, address)).toBe(true);
    for (const address of ['203.0.114.7', '2001:db9::1', undefined, 'unknown', '']) {
      expect(mayComeFrom(key, address)).toBe(false);
    }
  });
});
