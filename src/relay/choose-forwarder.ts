import { isAddressEqual, zeroAddress, type Address } from 'viem';
import type { InputIssue } from '../core/domain-error.ts';
import { lowerCase, type LowerCaseAddress } from '../core/lower-case.ts';
import type { TenantServices } from '../services.ts';
import type { RelayRecords } from './relay-records.store.ts';

interface ForwarderInput {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
  readonly forwarderAddress?: Address | undefined;
}

/**
 * The forwarder of a request: the one given, else the one that the contract was deployed to trust. If the account has
 * no record of the contract, or has registered it: the configured one, else the account's newest ACTIVE one on the
 * chain. The account pays for what a forwarder does, so it must be a configured one or one of the account's own.
 * @returns an issue if there is none, or if the contract's record says that it trusts none.
 */
export function chooseForwarder(
  { settings }: Pick<TenantServices, 'settings'>,
  input: ForwarderInput,
  { contract, forwarders }: Pick<RelayRecords, 'contract' | 'forwarders'>,
): Address | InputIssue {
  const { chainId } = input;
  const configured = settings.trustedForwarders.get(chainId);
  const trusted = input.forwarderAddress === undefined ? trustedByRecord(contract) : undefined;
  if (trusted === zeroAddress) return noneTrusted(input.contractAddress);
  const chosen = input.forwarderAddress ?? trusted ?? configured ?? forwarders[0];
  if (chosen !== undefined) {
    if (configured !== undefined && isAddressEqual(chosen, configured)) return chosen;
    if (forwarders.includes(lowerCase(chosen))) return chosen;
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
function trustedByRecord(contract: RelayRecords['contract']): Address | undefined {
  if (contract === undefined || contract.ercStandard === 'Forwarder') return undefined;
  // What a registered contract trusts is not recorded.
  if (contract.registeredAtBlock !== null) return undefined;
  return contract.trustedForwarder ?? zeroAddress;
}
