import { missing } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findContract } from './contracts.store.ts';
import type { Contract } from './contracts.store.ts';

/** @throws {DomainError} `missing` when the account has no such contract. */
export async function getContract({ db }: TenantServices, id: string): Promise<Contract> {
  const contract = await findContract(db, id);
  if (contract === undefined) throw missing('Contract');
  return contract;
}
