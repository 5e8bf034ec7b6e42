import {
  keccak256,
  recoverTransactionAddress,
  serializeTransaction,
  type Hex,
  type TransactionSerializable,
} from 'viem';
import { recoverAuthorizationAddress } from 'viem/utils';
import { z } from 'zod';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import type { Wei } from './wei.ts';

/** A transaction whose hash and signer were computed from its own fields. */
export interface ProvenTransaction {
  readonly hash: Hex;
  readonly from: LowerCaseAddress;
  readonly nonce: number;
  /** Decimal; undefined for one without replay protection, which every chain takes. */
  readonly chainId: string | undefined;
  /** Its signed bytes. */
  readonly raw: Hex;
  readonly to: Hex | null;
  readonly data: Hex;
  readonly value: Wei;
  readonly gas: bigint;
  readonly maxFeePerGas: Wei;
  readonly maxPriorityFeePerGas: Wei;
}

const hex = z.templateLiteral(['0x', z.string()]);
const quantity = hex.transform((value, context) => {
  if (/^0x[0-9a-f]{1,64}$/.test(value)) return BigInt(value);
  context.addIssue('Not a quantity');
  return z.NEVER;
});
const number = quantity.transform(Number);
const signature = { r: hex, s: hex, v: quantity };
const call = { hash: hex, from: hex, nonce: number, gas: quantity, to: hex.nullable(), value: quantity, input: hex };
const typed = {
  ...call,
  ...signature,
  chainId: number,
  accessList: z.array(z.object({ address: hex, storageKeys: z.array(hex) })),
};
const priced = { ...typed, maxFeePerGas: quantity, maxPriorityFeePerGas: quantity };
const authorization = z.object({ chainId: number, address: hex, nonce: number, r: hex, s: hex, yParity: number });

/** A mined transaction as nodes report it, by its type. */
const reported = z.discriminatedUnion('type', [
  z.object({ type: z.literal('0x0'), ...call, ...signature, gasPrice: quantity }),
  z.object({ type: z.literal('0x1'), ...typed, gasPrice: quantity }),
  z.object({ type: z.literal('0x2'), ...priced }),
  z.object({ type: z.literal('0x3'), ...priced, maxFeePerBlobGas: quantity, blobVersionedHashes: z.array(hex) }),
  z.object({ type: z.literal('0x4'), ...priced, authorizationList: z.array(authorization) }),
]);

/** A nonce of an account that a transaction of any sender has used, because the account authorized it (EIP-7702). */
export interface AuthorizedNonce {
  readonly wallet: LowerCaseAddress;
  readonly nonce: number;
}

const delegating = z.object({ type: z.literal('0x4'), authorizationList: z.array(authorization) });

/**
 * The nonces that a transaction uses by authorizations on a chain, as their signatures prove. Whether it is mined is not
 * known by that; and one whose nonce was used before is passed over by the chain.
 */
export async function authorizedNonces(transaction: unknown, chainId: string): Promise<readonly AuthorizedNonce[]> {
  const { data: fields } = delegating.safeParse(transaction);
  // 0 stands for every chain.
  const own = fields?.authorizationList.filter((one) => one.chainId === 0 || String(one.chainId) === chainId) ?? [];
  const found = own.map(async (one): Promise<AuthorizedNonce[]> => {
    try {
      return [{ wallet: lowerCase(await recoverAuthorizationAddress({ authorization: one })), nonce: one.nonce }];
    } catch {
      // A signature that nobody has made.
      return [];
    }
  });
  return (await Promise.all(found)).flat();
}

const TYPES = { '0x0': 'legacy', '0x1': 'eip2930', '0x2': 'eip1559', '0x3': 'eip4844', '0x4': 'eip7702' } as const;

/**
 * The most that `s` may be (EIP-2): of each signature anybody can compute another one with the order of the curve less
 * `s`, and so another hash.
 */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/**
 * Computes the hash and the signer of a transaction from the fields that a node reports. Nobody without the signer's
 * key can make up fields that lead to the signer's address and that a chain takes, so what they say was signed,
 * whatever the node claims.
 * @returns undefined if the fields are incomplete, or contradict the hash or the sender that the node reports.
 */
export async function proveTransaction(transaction: unknown): Promise<ProvenTransaction | undefined> {
  const { data: fields } = reported.safeParse(transaction);
  if (fields === undefined) return undefined;
  const { type, hash, from, input, r, s, v, ...rest } = fields;
  const isProtected = type !== '0x0' || v >= 35n;
  const chainId = 'chainId' in fields ? fields.chainId : Number((v - 35n) / 2n);
  try {
    // Of a type with an access list, `v` is the parity.
    const signed = type === '0x0' ? { r, s, v } : { r, s, yParity: Number(v) };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields of each type are those that viem serializes
    const unsigned = {
      ...rest,
      data: input,
      type: TYPES[type],
      ...(isProtected && { chainId }),
    } as TransactionSerializable;
    const serializedTransaction = serializeTransaction(unsigned, signed);
    const signer = lowerCase(await recoverTransactionAddress({ serializedTransaction }));
    if (BigInt(s) > MAX_S || keccak256(serializedTransaction) !== hash || signer !== from) return undefined;
    const { nonce, to, value, gas } = fields;
    const offer =
      'gasPrice' in fields ? { maxFeePerGas: fields.gasPrice, maxPriorityFeePerGas: fields.gasPrice } : fields;
    const { maxFeePerGas, maxPriorityFeePerGas } = offer;
    const what = { nonce, to, data: input, value, gas, maxFeePerGas, maxPriorityFeePerGas };
    return {
      hash,
      from: signer,
      chainId: isProtected ? String(chainId) : undefined,
      raw: serializedTransaction,
      ...what,
    };
  } catch {
    // Fields that no signature fits.
    return undefined;
  }
}
