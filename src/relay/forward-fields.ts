import { z } from 'zod';
import type { Hex } from 'viem';
import { canonicalSignature } from './forward-request.ts';
import { addressField, tokenIdField } from '../core/fields.ts';

/** The default gas of the inner call; specification, Limits. */
const DEFAULT_GAS = 500_000;
/** The least gas that may be signed: less than any transfer or mint needs. */
export const MIN_GAS = 30_000;
/** The maximum of RELAY_GAS_CEILING: the relayer may pay for all of it, whatever the call does. */
const MAX_GAS = 1_000_000;

/** `gas` of the signed request. Strings are accepted too, so that a signed request can be passed on unchanged. */
export const gasLimitField = z
  .preprocess(
    (value) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value),
    z.int().min(MIN_GAS).max(MAX_GAS).default(DEFAULT_GAS),
  )
  .meta({
    type: ['integer', 'string'],
    minimum: MIN_GAS,
    maximum: MAX_GAS,
    pattern: String.raw`^\d{1,9}$`,
    default: DEFAULT_GAS,
    description: 'Units of gas of the inner call, as signed',
    example: DEFAULT_GAS,
  });

/** The forwarder nonce of the signed request. */
export const forwarderNonceField = tokenIdField.meta({
  description: "Default: the signer's next nonce at the forwarder",
  example: '0',
});

export const forwarderAddressField = addressField.meta({
  description:
    "Default: the contract's recorded trustedForwarder; else TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain",
});

/** A signature of typed data by an externally owned account, in the canonical form that a forwarder accepts. */
export const signatureField = z
  .string()
  .refine(
    (value): value is Hex => /^0x[0-9a-fA-F]{130}$/.test(value),
    'must be 0x and 130 hex digits: the 65 bytes r, s and v',
  )
  .transform((value) => canonicalSignature(value).toLowerCase())
  .pipe(z.custom<Hex>())
  .meta({
    type: 'string',
    pattern: '^0x[0-9a-fA-F]{130}$',
    description: 'The result of eth_signTypedData_v4',
    example: `0x${'5e'.repeat(64)}1b`,
  });

/** A test signing key. No error message contains it. */
export const privateKeyField = z
  .string()
  .refine((value): value is Hex => /^0x[0-9a-fA-F]{64}$/.test(value), 'must be a private key: 0x and 64 hex digits')
  .meta({
    format: 'password',
    writeOnly: true,
    description: 'Key of `from`. Default: LOCAL_DEV_PRIVATE_KEY. For tests only',
    example: `0x${'5e'.repeat(32)}`,
    pattern: '^0x[0-9a-fA-F]{64}$',
  });
