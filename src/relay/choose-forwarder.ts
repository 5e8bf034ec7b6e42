import { isAddressEqual, zeroAddress, type Address } from 'viem';
import type { TenantDb } from '../platform/database/client.ts';
import { findContractByAddress, findTokenContract, newestForwarder } from '../catalog/contracts/contracts.store.ts';
import type { InputIssue } from '../core/domain-error.ts';
import { lowerCase } from '../core/lower-case.ts';
import type { TenantServices } from '../services.ts';

interface ForwarderInput {
  readonly chainId: string;
  /** Lower case. */
  readonly contractAddress: Address;
  readonly forwarderAddress?: Address | undefined;
}

/**
 * The forwarder of a request: the one given, else the one that the contract was deployed to trust. If the account has no
 * record of the contract, or has registered it: the configured one, else the account's newest ACTIVE one on the chain.
 * The account pays for what a forwarder does, so it must be a configured one or one of the account's own.
 * @returns an issue if there is none, or if the contract's record says that it trusts none.
 */
export async function chooseForwarder(
  { settings, db }: TenantServices,
  input: ForwarderInput,
): Promise<Address | InputIssue> {
  const { chainId } = input;
  const configured = settings.trustedForwarders.get(chainId);
  const trusted = input.forwarderAddress === undefined ? await trustedByRecord(db, input) : undefined;
  if (trusted === zeroAddress) return noneTrusted(input.contractAddress);
  const chosen = input.forwarderAddress ?? trusted ?? configured ?? (await newestForwarder(db, chainId));
  if (chosen !== undefined) {
    if (configured !== undefined && isAddressEqual(chosen, configured)) return chosen;
    const own = await findContractByAddress(db, chainId, lowerCase(chosen));
    if (own?.ercStandard === 'Forwarder') return chosen;
    return { ...foreign(chosen), ...(input.forwarderAddress === undefined ? {} : { missing: 'Active forwarder' }) };
  }
  return {
    path: 'forwarderAddress',
    message: `is required: there is no setting TRUSTED_FORWARDER_ADDRESS_${chainId}, and the account has no ACTIVE forwarder on chain ${chainId}`,
  };
}

function noneTrusted(contractAddress: Address): InputIssue {
  const message = `cannot be chosen: the contract ${contractAddress} was deployed without a trusted forwarder`;
  return { path: 'forwarderAddress', message };
}

function foreign(forwarder: Address): InputIssue {
  const message = `is neither a configured forwarder nor an ACTIVE one of the account's: ${forwarder}`;
  return { path: 'forwarderAddress', message };
}

/** @returns the zero address if the contract trusts no forwarder; undefined if no record says. */
async function trustedByRecord(db: TenantDb, input: ForwarderInput): Promise<Address | undefined> {
  const contract = await findTokenContract(db, input.chainId, input.contractAddress);
  if (contract === undefined || contract.ercStandard === 'Forwarder') return undefined;
  // What a registered contract trusts is not recorded.
  if (contract.registeredAtBlock !== null) return undefined;
  return contract.trustedForwarder ?? zeroAddress;
}
