import type { Address, Hex } from 'viem';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import type { SignedInput } from './check-forwarding.ts';
import { withDeadline } from './deadline.ts';
import type { StoredRequest } from './forward-requests.store.ts';

/**
 * Whether a body describes the stored request. Fields that the body omits match.
 * @param call The call without a deadline, built from the fields of the body.
 */
export function isSameRequest(stored: StoredRequest, input: SignedInput, call: Hex): boolean {
  return (
    stored.signature === input.signature &&
    stored.chainId === input.chainId &&
    stored.data === withDeadline(call, input.deadline) &&
    stored.gasLimit === input.gasLimit &&
    sameAddress(input.contractAddress, stored.contractAddress) &&
    sameAddress(input.from, stored.signerAddress) &&
    sameAddress(input.forwarderAddress, stored.forwarderAddress) &&
    (input.forwarderNonce === undefined || input.forwarderNonce === stored.nonce)
  );
}

function sameAddress(address: Address | undefined, stored: LowerCaseAddress): boolean {
  return address === undefined || lowerCase(address) === stored;
}
