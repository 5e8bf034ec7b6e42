import { zeroAddress } from 'viem';
import type { Address } from 'viem';
import type { TenantDb } from '../platform/database/client.ts';
import { newestForwarder } from '../catalog/contracts/contracts.store.ts';
import type { InputFault } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { findTokenContract } from '../catalog/contracts/contracts.store.ts';

interface ForwarderInput {
  readonly chainId: string;
  /** Lower case. */
  readonly contractAddress: Address;
  readonly forwarderAddress?: Address | undefined;
}

/**
 * The forwarder of a request: the one that it names, else the one that the contract was deployed to trust. Where no record
 * of the account says which that is: the setting's, else the account's newest ACTIVE one on the chain.
 * @returns the fault of the input where there is none, and where the contract trusts none by its record.
 */
export async function chooseForwarder(
  { settings, db }: TenantServices,
  input: ForwarderInput,
): Promise<Address | InputFault> {
  const { chainId } = input;
  if (input.forwarderAddress !== undefined) return input.forwarderAddress;
  const trusted = await trustedByRecord(db, input);
  if (trusted === zeroAddress) {
    const message = `cannot be chosen: the contract ${input.contractAddress} was deployed without a trusted forwarder`;
    return { path: 'forwarderAddress', message };
  }
  const chosen = trusted ?? settings.trustedForwarders.get(chainId) ?? (await newestForwarder(db, chainId));
  if (chosen !== undefined) return chosen;
  return {
    path: 'forwarderAddress',
    message: `is required: there is no setting TRUSTED_FORWARDER_ADDRESS_${chainId}, and the account has no ACTIVE forwarder on chain ${chainId}`,
  };
}

/** @returns the zero address where the contract trusts none; undefined where no record says. */
async function trustedByRecord(db: TenantDb, input: ForwarderInput): Promise<Address | undefined> {
  const contract = await findTokenContract(db, input.chainId, input.contractAddress);
  if (contract === undefined || contract.ercStandard === 'Forwarder') return undefined;
  return contract.trustedForwarder ?? zeroAddress;
}
