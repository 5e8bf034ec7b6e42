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
} from 'viem';
import type { Address, Hex, Log } from 'viem';
import { minimalForwarder } from '../../contracts/artifacts/MinimalForwarder.ts';

/** A forwarder on its chain: what a signature is bound to. */
export interface Forwarder {
  /** Decimal. */
  readonly chainId: string;
  readonly address: Address;
}

/** What a signer signs for a forwarder (EIP-712). It has no deadline. */
export interface ForwardRequest {
  /** Who asks for the call, and signs. */
  readonly from: Address;
  /** The contract to call. */
  readonly to: Address;
  /** Wei. */
  readonly value: bigint;
  /** Gas that the inner call is given, whole. */
  readonly gas: bigint;
  /** The forwarder's next number for the signer. */
  readonly nonce: bigint;
  readonly data: Hex;
}

/** The type that is signed; specification, POST /transfer/signature. */
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
export function forwarderDomain({ chainId, address }: Forwarder) {
  return { name: 'MinimalForwarder', version: '1.0', chainId: Number(chainId), verifyingContract: address } as const;
}

/** The typed data as viem's signers take it. */
export function forwardRequestTypedData(forwarder: Forwarder, request: ForwardRequest) {
  return {
    domain: forwarderDomain(forwarder),
    types: forwardRequestTypes,
    primaryType: 'ForwardRequest',
    message: request,
  } as const;
}

const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/**
 * The one form of a 65-byte signature that a forwarder accepts: low s, and 27 or 28 for v. Some wallets give 0 or 1; and
 * every signature has a twin with the other s, which anyone can make of it.
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
 * Who made the signature over this request, on this chain, for this forwarder.
 * @param signature 65 bytes in canonical form.
 * @returns undefined when it is no signature at all.
 */
export async function recoverSigner(
  forwarder: Forwarder,
  request: ForwardRequest,
  signature: Hex,
): Promise<Address | undefined> {
  const hash = hashTypedData(forwardRequestTypedData(forwarder, request));
  try {
    return await recoverAddress({ hash, signature });
  } catch {
    // Numbers that are on no curve: forged, and nothing more can be said.
    return undefined;
  }
}

/** Calldata of the forwarder's `execute`. */
export function encodeExecute(request: ForwardRequest, signature: Hex): Hex {
  return encodeFunctionData({ ...minimalForwarder, functionName: 'execute', args: [request, signature] });
}

/** Calldata of the call that the forwarder makes in turn: with the signer behind it, as ERC-2771 says. */
export function encodeInnerCall({ data, from }: ForwardRequest): Hex {
  return concat([data, from]);
}

/** What the forwarder's own report in a mined transaction's logs says of a request; undefined when there is none. */
export function executionReport(
  forwarder: Forwarder,
  request: ForwardRequest,
  logs: readonly Log[],
): { readonly success: boolean; readonly returndata: Hex } | undefined {
  return parseEventLogs({ abi: minimalForwarder.abi, eventName: 'Executed', logs: [...logs] }).find(
    ({ address, args }) =>
      isAddressEqual(address, forwarder.address) &&
      isAddressEqual(args.from, request.from) &&
      args.nonce === request.nonce,
  )?.args;
}
