import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { gasLimitField, privateKeyField, signatureField } from './forward-fields.ts';

const body = z.object({ gasLimit: gasLimitField });

describe('the gas limit of a request', () => {
  it('is 500000 by default, and accepted as a number or as the string of a signed request', () => {
    expect(body.parse({})).toEqual({ gasLimit: 500_000 });
    expect(body.parse({ gasLimit: 120_000 })).toEqual({ gasLimit: 120_000 });
    expect(body.parse({ gasLimit: '120000' })).toEqual({ gasLimit: 120_000 });
  });

  it.each([29_999, 3_000_001, 0, -1, 100_000.5, '', '0x1d4c0', ' 120000', '1e6', '9999999999', null, true, {}])(
    'is not %j',
    (gasLimit) => {
      expect(body.safeParse({ gasLimit }).success).toBe(false);
    },
  );
});

describe('a signature', () => {
  it('is 65 bytes of hex, in the form that the forwarder accepts', () => {
    const rs = 'AB'.repeat(32) + '11'.repeat(32);
    expect(signatureField.parse(`0x${rs}1B`)).toBe(`0x${rs.toLowerCase()}1b`);
    expect(signatureField.parse(`0x${rs}01`)).toBe(`0x${rs.toLowerCase()}1c`);
    for (const bad of ['', '0x', `0x${rs}`, `0x${rs}1b00`, `0x${rs}1g`, `${rs}1b11`]) {
      expect(signatureField.safeParse(bad).success).toBe(false);
    }
  });
});

describe('a private key', () => {
  it('is not repeated when it is malformed', () => {
    const { error } = privateKeyField.safeParse('0xhunter2');
    expect(error?.issues).toHaveLength(1);
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });
});
