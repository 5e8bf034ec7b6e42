import { DomainError } from '../../core/domain-error.ts';
import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { TenantDb } from '../../platform/database/client.ts';
import { findOwnContracts, type OwnContract } from './contracts.store.ts';

/** A contract that a request names. */
export interface ContractPlace {
  readonly chainId: string;
  readonly contractAddress: LowerCaseAddress;
}

/**
 * Reads why contracts are none of the account's ACTIVE token contracts, in one query.
 * @param places What requests name, and what was not found.
 * @returns the error for each of them. It says nothing of the contracts of other accounts.
 */
export async function missingContracts(
  db: TenantDb,
  places: readonly ContractPlace[],
  what = 'Active contract',
): Promise<(place: ContractPlace) => DomainError> {
  const own = places.length === 0 ? [] : await findOwnContracts(db, places);
  return (place) => new DomainError('contract_not_active', `${what} not found: ${reasonOf(place, own)}`);
}

/** {@link missingContracts} for one. */
export async function missingContract(db: TenantDb, place: ContractPlace, what?: string): Promise<DomainError> {
  return (await missingContracts(db, [place], what))(place);
}

function reasonOf({ chainId, contractAddress }: ContractPlace, own: readonly OwnContract[]): string {
  const there = own.filter((one) => one.contractAddress === contractAddress);
  const here = there.find((one) => one.chainId === chainId);
  if (here !== undefined) {
    const isForwarder = here.ercStandard === 'Forwarder' ? ', a forwarder, which has no tokens' : '';
    return `contract ${here.id} at ${contractAddress} on chain ${chainId} is ${here.status}${isForwarder}`;
  }
  const [elsewhere] = there;
  if (elsewhere !== undefined) {
    return `the account has ${contractAddress} on chain ${elsewhere.chainId}, not on chain ${chainId}`;
  }
  const none = `the account has no contract ${contractAddress} on chain ${chainId}`;
  const deploying = own.find((one) => one.chainId === chainId && one.contractAddress === null);
  return deploying === undefined
    ? none
    : `${none}; its contract ${deploying.id} is ${deploying.status} and has an address once it is ACTIVE`;
}
