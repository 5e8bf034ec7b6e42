import type { Address, Hex } from 'viem';
import { lowerCase } from '../core/lower-case.ts';
import type { SignedInput } from './check-forwarding.ts';
import type { StoredRequest } from './forward-requests.store.ts';

/**
 * Whether a body states the very request that is stored with its signature. What it leaves to the server agrees.
 * @param data The call, from the fields of the body.
 */
export function isSameRequest(stored: StoredRequest, input: SignedInput, data: Hex | undefined): boolean {
  return (
    stored.signature === input.signature &&
    stored.chainId === input.chainId &&
    stored.data === data &&
    stored.gasLimit === input.gasLimit &&
    sameAddress(input.contractAddress, stored.contractAddress) &&
    sameAddress(input.from, stored.signerAddress) &&
    sameAddress(input.forwarderAddress, stored.forwarderAddress) &&
    (input.forwarderNonce === undefined || input.forwarderNonce === stored.nonce)
  );
}

/** @param lowered Lower case. */
function sameAddress(address: Address | undefined, lowered: Address): boolean {
  return address === undefined || lowerCase(address) === lowered;
}
