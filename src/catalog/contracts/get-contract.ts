import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findContract } from './contracts.store.ts';
import type { Contract } from './contracts.store.ts';

/**
 * Reads a contract of the account.
 * @throws {DomainError} `not-found` when it has none with this id; `forbidden` when the key is not for its chain.
 */
export async function getContract({ db, actor }: TenantServices, id: string): Promise<Contract> {
  const contract = await findContract(db, id);
  if (contract === undefined) throw notFound('Contract');
  requireChainOf(actor, contract.chainId);
  return contract;
}
