import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findContract } from './contracts.store.ts';
import type { Contract } from './contracts.store.ts';

/** Reads a contract of the account. @throws {DomainError} `not-found` when it has none with this id. */
export async function getContract({ db }: TenantServices, id: string): Promise<Contract> {
  const contract = await findContract(db, id);
  if (contract === undefined) throw notFound('Contract');
  return contract;
}
