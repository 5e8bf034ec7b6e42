import { isAddressEqual, zeroAddress, type Address, type Hex } from 'viem';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import { create2Address, create2Call, saltOf } from './create2.ts';
import { creationCode, deployableOf, type ContractRecord } from './creation-code.ts';

/** A contract that is on the chain. */
export interface CreatedContract extends ContractRecord {
  readonly id: string;
  readonly contractAddress: LowerCaseAddress | null;
}

/** What the records say of how a contract was created. */
export interface CreationRecord {
  readonly contract: CreatedContract;
  /** That it trusts; null if there is none, or it is not known. */
  readonly forwarder: CreatedContract | null;
  /** Who may have been the contract's first owner, besides the current one. */
  readonly owners: readonly Address[];
}

/**
 * How a contract and the forwarder it trusts were created: the calldata for the deployment proxy, whoever sent it.
 * @returns undefined if its record does not tell, such as that of a contract from elsewhere.
 */
export function deploymentOf({
  contract,
  forwarder,
  owners,
}: CreationRecord): { readonly creation: Hex; readonly forwarderCreation: Hex | null } | undefined {
  const creation = creationCallOf(contract, owners);
  const isForwarder = forwarder?.ercStandard === 'Forwarder';
  return creation && { creation, forwarderCreation: (isForwarder && creationCallOf(forwarder, [])) || null };
}

/**
 * Whether a contract can only be what published code makes it. Its address proves that, as does that of the forwarder
 * which it trusts, whatever its record says: any other contract could name any wallet as its issuer.
 */
export function hasPublishedCode(record: CreationRecord): boolean {
  const { trustedForwarder } = record.contract;
  const deployment = deploymentOf(record);
  if (deployment === undefined) return false;
  return (
    deployment.forwarderCreation !== null || trustedForwarder === null || isAddressEqual(trustedForwarder, zeroAddress)
  );
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
