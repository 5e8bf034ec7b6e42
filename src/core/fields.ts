import { z } from 'zod';
import { isAddress, maxUint256, type Address, type Hex } from 'viem';
import { lowerCase } from './lower-case.ts';
import { RECORD_ID } from './record-id.ts';
import { MAX_URL_BYTES, urlIssue, type UrlUse } from './url-issue.ts';
import { broken } from './validation-messages.ts';

/** Fields shared by many routes, each with its validation rule and its OpenAPI description. */

/**
 * A 20-byte hex address, kept as given. Mixed case is an EIP-55 checksum: a wrong one is a typo that would send tokens
 * to an address without a key.
 */
export const addressField = z
  .string()
  .refine(
    (value): value is Address => isAddress(value),
    'must be an address: 0x and 40 hex digits, with a valid checksum if in mixed case',
  )
  .meta({
    description: '20 bytes in hex; mixed case must be a valid EIP-55 checksum',
    example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72',
    pattern: '^0x[0-9a-fA-F]{40}$',
  });

/** An address that tokens can be sent to. */
export const receiverField = addressField.refine((value) => !/^0x0{40}$/.test(value), 'must not be the zero address');

export const contractAddressField = addressField
  .transform(lowerCase)
  .meta({ type: 'string', description: 'Address of the contract, in any letter case' });

/** A non-empty display text of at most `max` characters, without control characters. */
export const nameField = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), 'must not contain control characters');

const CHAIN_ID = /^[1-9]\d{0,15}$/;

export const chainIdField = z
  .string()
  .regex(CHAIN_ID, 'must be a chain id in decimal')
  .meta({ description: 'Chain id, decimal', example: '1' });

/** A uint256 as a decimal string, without leading zeros. */
export const tokenIdField = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number in decimal, without leading zeros')
  .refine(
    (value) => !/^\d{1,78}$/.test(value) || BigInt(value) <= maxUint256,
    broken('too_big', 'must fit into 256 bits'),
  )
  .meta({ description: 'Token id: a 256-bit number, decimal', example: '1' });

export const recordIdField = z
  .string()
  .regex(RECORD_ID, 'must be an id: 24 lower-case hex characters')
  .meta({ description: 'Id of the record; ids are time-ordered', example: '0190f3c1a2b4d5e6f7a8b9c0' });

/** The id of what a request changes: a record's, or a chain's. */
export const resourceIdField = z
  .string()
  .refine((value) => RECORD_ID.test(value) || CHAIN_ID.test(value), 'must be the id of a record or of a chain')
  .meta({
    description: 'Id of the record, or chain id',
    pattern: '^([0-9a-f]{24}|[1-9]\\d{0,15})$',
    example: '0190f3c1a2b4d5e6f7a8b9c0',
  });

/** A URL of at most `maxBytes`, kept as given. */
export const urlField = (use: UrlUse, maxBytes = MAX_URL_BYTES) =>
  z
    .string()
    .superRefine((value, context) => {
      const message = urlIssue(value, use, maxBytes);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .meta({ description: 'URL', format: 'iri', maxLength: maxBytes, example: 'https://example.com/a.png' });

/** Free text of at most `max` characters that PostgreSQL can store. */
export const textField = (max: number) =>
  z
    .string()
    .max(max)
    .superRefine((value, context) => {
      const message = textIssue(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

/** A query parameter that is a whole number of these bounds. */
export const wholeNumberParameter = (
  min: number,
  max: number,
  { description, example }: { readonly description: string; readonly example: number },
) =>
  z
    .string()
    .refine((text) => /^\d+$/.test(text), { ...broken('invalid_format', wholeNumber(min, max)), abort: true })
    .refine((text) => Number(text) >= min, broken('too_small', wholeNumber(min, max)))
    .refine((text) => Number(text) <= max, broken('too_big', wholeNumber(min, max)))
    .transform(Number)
    .optional()
    .meta({ type: 'integer', minimum: min, maximum: max, description, example });

const wholeNumber = (min: number, max: number) => `must be a whole number from ${min} to ${max}`;

/** Units of an ERC-1155 token. */
export const amountField = z.int().min(1).optional().meta({ maximum: Number.MAX_SAFE_INTEGER });

/**
 * An object of any keys that `key` accepts. zod would drop the key `__proto__` without checking it, so that what was
 * asked for would be ignored.
 */
export const recordField = <Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(key: Key, value: Value) =>
  z.preprocess(
    (input, context) => {
      if (typeof input === 'object' && input !== null && Object.hasOwn(input, '__proto__')) {
        context.addIssue({ code: 'custom', path: ['__proto__'], message: 'must be another key' });
      }
      return input;
    },
    z.record(key, value),
  );

export const instantField = z.iso.datetime().meta({ description: 'UTC', example: '2026-11-02T09:30:00.000Z' });

/** The first moment that neither JSON replies nor the database write with a year of four digits. */
const YEAR_10000 = Date.UTC(10_000, 0);

/** A time in a request. A time zone can take it beyond the year that is written. */
export const momentField = z.iso
  .datetime({ offset: true })
  .refine((text) => !(Date.parse(text) >= YEAR_10000), 'must be before the year 10000 in UTC')
  .transform((text) => new Date(text));

export const hashField = z
  .string()
  .refine((value): value is Hex => /^0x[0-9a-fA-F]{64}$/.test(value), 'must be 0x and 64 hex digits')
  .meta({ description: '32 bytes in hex', example: `0x${'5e'.repeat(32)}`, pattern: '^0x[0-9a-fA-F]{64}$' });

/** Path parameter of the routes that read one record by its id. */
export const recordIdParams = z.object({ id: recordIdField });

/** A transaction hash. Hashes are stored in lower case. */
export const txHashField = z
  .string()
  .transform((value) => value.toLowerCase())
  .pipe(hashField)
  .meta({
    type: 'string',
    description: 'Transaction hash, in any letter case',
    pattern: '^0[xX][0-9a-fA-F]{64}$',
    example: `0x${'5e'.repeat(32)}`,
  });

/** Path parameter of the routes that read a record by its transaction. */
export const txHashParams = z.object({ txHash: txHashField });

/** Why PostgreSQL cannot store a text; undefined when it can. */
export function textIssue(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return text.isWellFormed() ? undefined : 'must be valid Unicode: it has a lone surrogate';
}
