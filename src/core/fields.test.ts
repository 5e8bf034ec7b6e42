import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAddress, maxUint256 } from 'viem';
import {
  addressField,
  chainIdField,
  contractAddressField,
  hashField,
  nameField,
  receiverField,
  recordIdField,
  textField,
  tokenIdField,
  urlField,
} from './fields.ts';

const fields = {
  addressField,
  receiverField,
  contractAddressField,
  nameField: nameField(50),
  textField: textField(50),
  chainIdField,
  tokenIdField,
  recordIdField,
  hashField,
  urlField: urlField('media'),
};

/** Any UTF-16 code units, lone surrogates and NULs included. */
const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
/** Texts that are close to valid. */
const nearly = fc
  .tuple(
    fc.constantFrom('0x', '', 'https://a.test/', '-', '0', '1e', '+'),
    fc.string({ unit: fc.constantFrom(...Array.from('0123456789abcdefABCDEFx.-+eE_ \n\0\ud800')), maxLength: 80 }),
  )
  .map((parts) => parts.join(''));

describe.each(Object.entries(fields))('%s', (name, field) => {
  it('accepts or rejects any JSON value without throwing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(field.safeParse(value).success).toBeTypeOf('boolean');
      }),
    );
  });

  it('accepts no text that PostgreSQL or a chain would reject or alter, and returns what it accepts unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, nearly), (text) => {
        const { data } = field.safeParse(text);
        const expected = name === 'contractAddressField' ? text.toLowerCase() : text;
        expect([undefined, expected]).toContain(data);
        expect(data === undefined || (data.isWellFormed() && !data.includes('\0'))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('reports each issue once', () => {
    for (const text of ['', '\0', '\ud800', 'https://a\0b']) {
      const { error } = field.safeParse(text);
      expect(error?.issues.length ?? 1).toBe(1);
    }
  });
});

describe('decimal numbers', () => {
  it('are token ids exactly when they fit into 256 bits and have no leading zeros', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -5n, max: maxUint256 * 2n }), (number) => {
        expect(tokenIdField.safeParse(number.toString()).success).toBe(number >= 0n && number <= maxUint256);
        expect(tokenIdField.safeParse(`0${number}`).success).toBe(false);
      }),
    );
  });
});

describe('addresses', () => {
  it('are accepted exactly when they are 20 bytes with a valid checksum or none', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...Array.from('0123456789abcdefABCDEF')),
      minLength: 39,
      maxLength: 41,
    });
    fc.assert(
      fc.property(digits, (text) => {
        expect(addressField.safeParse(`0x${text}`).success).toBe(isAddress(`0x${text}`));
        expect(addressField.safeParse(`0x${text.toLowerCase()}`).success).toBe(text.length === 40);
      }),
    );
  });
});
