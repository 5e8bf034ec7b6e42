import { z } from 'zod';
import { isAddress, maxUint256 } from 'viem';
import type { Address, Hex } from 'viem';
import { lowerCase } from './lower-case.ts';
import { RECORD_ID } from './ids.ts';
import { textFault } from './text-fault.ts';
import { urlFault } from './url-fault.ts';
import type { UrlUse } from './url-fault.ts';

/** The fields that many routes share, each with its rule and its OpenAPI form. */

/**
 * A 20-byte hex address, kept as it was given. Mixed case carries a checksum (EIP-55), and a wrong one is a typing error
 * that would send tokens where nobody can reach them.
 */
export const addressField = z
  .string()
  .refine(
    (value): value is Address => isAddress(value),
    'must be an address: 0x and 40 hex digits, with a valid checksum if in mixed case',
  )
  .meta({ example: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', pattern: '^0x[0-9a-fA-F]{40}$' });

/** An address that tokens can be sent to. */
export const receiverField = addressField.refine((value) => !/^0x0{40}$/.test(value), 'must not be the zero address');

/** A contract's address, in lower case as it is stored. */
export const contractAddressField = addressField.transform(lowerCase);

/** A text that people read: not empty, at most `max` characters, none of them a control character. */
export const nameField = (max: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(max, `must be at most ${max} characters`)
    .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), 'must not have control characters');

export const chainIdField = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be a chain id in decimal')
  .meta({ example: '1' });

/** A uint256 as a decimal string, without leading zeros. */
export const tokenIdField = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number in decimal, without leading zeros')
  .refine((value) => !/^\d{1,78}$/.test(value) || BigInt(value) <= maxUint256, 'must fit into 256 bits')
  .meta({ example: '1' });

export const recordIdField = z
  .string()
  .regex(RECORD_ID, 'must be an id: 24 lower-case hex characters')
  .meta({ example: '0190f3c1a2b4d5e6f7a8b9c0' });

/** A URL, kept as it was given. */
export const urlField = (use: UrlUse) =>
  z
    .string()
    .superRefine((value, context) => {
      const message = urlFault(value, use);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .meta({ format: 'iri' });

/** A free text of at most `max` characters, fit to be stored. */
export const textField = (max: number) =>
  z
    .string()
    .max(max, `must be at most ${max} characters`)
    .superRefine((value, context) => {
      const message = textFault(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

export const instantField = z.iso.datetime();

export const hashField = z
  .string()
  .refine((value): value is Hex => /^0x[0-9a-fA-F]{64}$/.test(value), 'must be 0x and 64 hex digits');

/** Path parameter of the routes that read one record. A value that cannot be an id names no record. */
export const recordIdParams = z.object({ id: recordIdField });

/** Path parameter of the routes that read a record by its transaction; hashes are stored in lower case. */
export const txHashParams = z.object({
  txHash: z
    .string()
    .transform((value) => value.toLowerCase())
    .pipe(hashField)
    .meta({ type: 'string', description: '0x and 64 hex digits, in any case' }),
});
