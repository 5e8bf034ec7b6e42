import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findOwnershipTransfer } from './ownership-transfers.store.ts';
import type { OwnershipTransfer } from './ownership-transfers.store.ts';

/** @throws {DomainError} `not-found` if the account has no such job. */
export async function getOwnershipTransfer({ db }: TenantServices, id: string): Promise<OwnershipTransfer> {
  const transfer = await findOwnershipTransfer(db, id);
  if (transfer === undefined) throw notFound('Ownership transfer');
  return transfer;
}
