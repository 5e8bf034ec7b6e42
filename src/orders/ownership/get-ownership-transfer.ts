import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findOwnershipTransfer } from './ownership-transfers.store.ts';
import type { OwnershipTransfer } from './ownership-transfers.store.ts';

/** @throws {DomainError} `not-found` if the account has no such job; `forbidden` when the key is not for its chain. */
export async function getOwnershipTransfer({ db, actor }: TenantServices, id: string): Promise<OwnershipTransfer> {
  const transfer = await findOwnershipTransfer(db, id);
  if (transfer === undefined) throw notFound('Ownership transfer');
  requireChainOf(actor, transfer.chainId);
  return transfer;
}
