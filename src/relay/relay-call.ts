import { hexToBytes } from 'viem';
import type { Hex } from 'viem';
import type { Call } from '../engine/order-kind.ts';
import { encodeExecute } from './forward-request.ts';
import { signedRequestOf } from './forward-requests.store.ts';
import type { Relayed } from './forward-requests.store.ts';

/** Gas of `execute` besides the inner call and the calldata: nonce, signature, trust check, log. */
const FORWARDER_GAS = 75_000n;

/**
 * The forwarder's call that executes a signed request. Its gas limit follows from the request alone: the forwarder requires
 * all of the signed gas to be available for the inner call, whatever an estimate says.
 */
export function relayCall(order: Relayed): Call {
  const { forwarder, request } = signedRequestOf(order);
  const data = encodeExecute(request, order.signature);
  return { to: forwarder.address, data, gas: outerGas(request.gas, data) };
}

/**
 * The most gas that a request may use.
 * @param signedCeiling The most gas that may be signed for an inner call.
 */
export function relayGasCeiling(order: Relayed, signedCeiling: number): bigint {
  const { request } = signedRequestOf(order);
  return outerGas(BigInt(signedCeiling), encodeExecute(request, order.signature));
}

/** A call can pass on 63/64 of its remaining gas (EIP-150). */
function outerGas(signed: bigint, calldata: Hex): bigint {
  return (signed * 64n + 62n) / 63n + FORWARDER_GAS + calldataGas(calldata);
}

/** EIP-2028. */
function calldataGas(calldata: Hex): bigint {
  return hexToBytes(calldata).reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n);
}
