import { z } from 'zod';
import type { Hex } from 'viem';
import { canonicalSignature } from './forward-request.ts';
import { addressField, tokenIdField } from '../core/fields.ts';

/** Gas of the inner call where a request does not say; specification, Limits. */
const DEFAULT_GAS = 500_000;
/** Less than any transfer or mint costs. */
const LEAST_GAS = 30_000;
/** What RELAY_GAS_CEILING is at most: whoever relays pays for all of it, whatever the call does. */
const MOST_GAS = 1_000_000;

/** What `gas` of the signed request is. As text too: signed requests carry it so, and are passed on unchanged. */
export const gasLimitField = z
  .preprocess(
    (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
    z
      .int('must be a whole number')
      .min(LEAST_GAS, `must be ${LEAST_GAS} or more`)
      .max(MOST_GAS, `must be ${MOST_GAS} or less`)
      .default(DEFAULT_GAS),
  )
  .meta({
    type: 'integer',
    minimum: LEAST_GAS,
    maximum: MOST_GAS,
    default: DEFAULT_GAS,
    description: 'Gas that the call is given, as it was signed',
  });

/** The forwarder's number in the signed request. */
export const forwarderNonceField = tokenIdField.meta({
  description: "Default: the forwarder's next number for the signer",
  example: '0',
});

export const forwarderAddressField = addressField.meta({
  description:
    "Default: the contract's trustedForwarder, by its record; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain",
});

/** A signature of typed data by an ordinary account, in the one form that a forwarder takes. */
export const signatureField = z
  .string()
  .refine(
    (value): value is Hex => /^0x[0-9a-fA-F]{130}$/.test(value),
    'must be 0x and 130 hex digits: the 65 bytes r, s and v',
  )
  .transform((value) => canonicalSignature(value).toLowerCase())
  .pipe(z.custom<Hex>())
  .meta({ type: 'string', pattern: '^0x[0-9a-fA-F]{130}$', description: 'Of the typed data, eth_signTypedData_v4' });

/** A key to sign with on a developer's machine. No message repeats it. */
export const privateKeyField = z
  .string()
  .refine((value): value is Hex => /^0x[0-9a-fA-F]{64}$/.test(value), 'must be a private key: 0x and 64 hex digits')
  .meta({ format: 'password', writeOnly: true, description: 'Default: LOCAL_DEV_PRIVATE_KEY. For tests only' });
