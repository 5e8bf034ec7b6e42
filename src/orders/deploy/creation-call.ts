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
 * How a contract and the forwarder it trusts were created: the calldata for the deployment proxy, whoever sent it.
 * @param forwarder Null if there is none, or it is not known.
 * @param owners Who may have been the contract's first owner, besides the current one.
 * @returns undefined if its record does not tell, such as that of a contract from elsewhere.
 */
export function deploymentOf(
  contract: CreatedContract,
  forwarder: CreatedContract | null,
  owners: readonly Address[],
): { readonly creation: Hex; readonly forwarderCreation: Hex | null } | undefined {
  const creation = creationCallOf(contract, owners);
  return creation && { creation, forwarderCreation: (forwarder && creationCallOf(forwarder, [])) ?? null };
}

/** The address of the contract tells which calldata is the right one. */
function creationCallOf(contract: CreatedContract, owners: readonly Address[]): Hex | undefined {
  const salt = saltOf(contract.id);
  const codes = new Set(
    [contract.currentOwnerAddress, ...owners].map((currentOwnerAddress) =>
      creationCode(deployableOf({ ...contract, currentOwnerAddress })),
    ),
  );
  const code = [...codes].find((one) => create2Address(salt, one) === contract.contractAddress);
  return code && create2Call(salt, code);
}
