import type { Address, Hex } from 'viem';
import { create2Address, create2Call, saltOf } from './create2.ts';
import { creationCode, deployableOf, type ContractRecord } from './creation-code.ts';

/** A contract that is on the chain. */
export interface CreatedContract extends ContractRecord {
  readonly id: string;
  /** Lower case. */
  readonly contractAddress: Address | null;
}

/**
 * The calldata for the deployment proxy that created a contract, whoever sent it. The address of the contract tells
 * whether it is the right one.
 * @param owners Who may have been its first owner, besides the current one.
 * @returns undefined if its record does not tell, such as that of a contract from elsewhere.
 */
export function creationCallOf(contract: CreatedContract, owners: readonly Address[]): Hex | undefined {
  const salt = saltOf(contract.id);
  const codes = new Set(
    [contract.currentOwnerAddress, ...owners].map((currentOwnerAddress) =>
      creationCode(deployableOf({ ...contract, currentOwnerAddress })),
    ),
  );
  const code = [...codes].find((one) => create2Address(salt, one) === contract.contractAddress);
  return code && create2Call(salt, code);
}
