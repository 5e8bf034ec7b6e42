import { isAddressEqual, type Address } from 'viem';
import { valueOf, type ContractRead } from '../../chains/contract-reads.ts';
import { DomainError } from '../../core/domain-error.ts';

/**
 * @param read Of the contract's owner.
 * @throws {DomainError} `conflict` if that is not the account's wallet.
 */
export function requireOwner(read: ContractRead<Address>, walletAddress: Address): void {
  const owner = valueOf(read);
  if (owner === undefined || !isAddressEqual(owner, walletAddress)) {
    throw new DomainError('not_owner', `The owner of the contract is ${owner ?? 'nobody'}, not the account's wallet`);
  }
}
