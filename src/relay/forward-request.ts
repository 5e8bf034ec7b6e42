import {
  concat,
  encodeFunctionData,
  hashTypedData,
  hexToBigInt,
  hexToNumber,
  isAddressEqual,
  numberToHex,
  parseEventLogs,
  recoverAddress,
  slice,
  type Address,
  type Hex,
  type Log,
} from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';
import type { Wei } from '../chains/wei.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';

/** The contract to which a signature is bound, and its chain (EIP-712). */
export interface VerifyingContract {
  /** Decimal. */
  readonly chainId: string;
  readonly address: Address;
}

/** A forwarder, as it is stored. */
export interface Forwarder extends VerifyingContract {
  readonly address: LowerCaseAddress;
}

/** A forward request as signed (EIP-712). The forwarder knows no deadline. */
export interface ForwardRequest {
  /** The signer. */
  readonly from: Address;
  /** The contract to call. */
  readonly to: Address;
  readonly value: Wei;
  /** Gas of the inner call. */
  readonly gas: bigint;
  /** The signer's nonce at the forwarder. */
  readonly nonce: bigint;
  readonly data: Hex;
}

/** The EIP-712 types; specification, POST /transfer/signature. */
export const forwardRequestTypes = {
  ForwardRequest: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'gas', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
} as const;

/** The EIP-712 domain of a forwarder. */
export function forwarderDomain({ chainId, address }: VerifyingContract) {
  return { name: 'MinimalForwarder', version: '1.0', chainId: Number(chainId), verifyingContract: address } as const;
}

/** The typed data in viem's form. */
export function forwardRequestTypedData(forwarder: VerifyingContract, request: ForwardRequest) {
  return {
    domain: forwarderDomain(forwarder),
    types: forwardRequestTypes,
    primaryType: 'ForwardRequest',
    message: request,
  } as const;
}

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * The form of a 65-byte signature that a forwarder accepts: low s, and v of 27 or 28. Some wallets return 0 or 1 for v,
 * and anyone can derive a second valid signature with high s.
 */
export function canonicalSignature(signature: Hex): Hex {
  const s = hexToBigInt(slice(signature, 32, 64));
  const v = hexToNumber(slice(signature, 64, 65));
  const parity = v < 27 ? v : v - 27;
  const high = s > SECP256K1_ORDER / 2n && s < SECP256K1_ORDER;
  return concat([
    slice(signature, 0, 32),
    numberToHex(high ? SECP256K1_ORDER - s : s, { size: 32 }),
    parity > 1 ? slice(signature, 64, 65) : numberToHex((high ? 1 - parity : parity) + 27, { size: 1 }),
  ]);
}

/**
 * Recovers the signer of a request for this forwarder on its chain.
 * @param signature 65 bytes in canonical form.
 * @returns undefined if it is not a valid signature.
 */
export async function recoverSigner(
  forwarder: VerifyingContract,
  request: ForwardRequest,
  signature: Hex,
): Promise<Address | undefined> {
  const hash = hashTypedData(forwardRequestTypedData(forwarder, request));
  try {
    return await recoverAddress({ hash, signature });
  } catch {
    // The values are not on the curve.
    return undefined;
  }
}

/** Calldata of the forwarder's `execute`. */
export function encodeExecute(request: ForwardRequest, signature: Hex): Hex {
  return encodeFunctionData({ ...minimalForwarder, functionName: 'execute', args: [request, signature] });
}

/** Calldata of the forwarder's inner call, with the signer appended (ERC-2771). */
export function encodeInnerCall({ data, from }: Pick<ForwardRequest, 'data' | 'from'>): Hex {
  return concat([data, from]);
}

/**
 * The forwarder's `Executed` event for a request's nonce, from the logs of a mined transaction; undefined if there is
 * none. Another request of the signer may have used that nonce: `to` is its target.
 */
export function executionReport(
  forwarder: Forwarder,
  request: ForwardRequest,
  logs: readonly Log[],
): { readonly to: Address; readonly success: boolean; readonly returndata: Hex } | undefined {
  return parseEventLogs({ abi: minimalForwarder.abi, eventName: 'Executed', logs: [...logs] }).find(
    ({ address, args }) =>
      isAddressEqual(address, forwarder.address) &&
      isAddressEqual(args.from, request.from) &&
      args.nonce === request.nonce,
  )?.args;
}
