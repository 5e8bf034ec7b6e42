import type { Hex } from 'viem';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findTransfer, findTransferByTx } from './transfers.store.ts';
import type { TransferOrder } from './transfers.store.ts';

/** @throws {DomainError} `not-found` if the account has no such order. */
export async function getTransfer({ db }: TenantServices, id: string): Promise<TransferOrder> {
  const order = await findTransfer(db, id);
  if (order === undefined) throw notFound('Transfer order');
  return order;
}

/**
 * The order that a mined transaction executed, successfully or not.
 * @param txHash Lower case.
 * @throws {DomainError} `not-found` if no order of the account has that transaction.
 */
export async function getTransferByTx({ db }: TenantServices, txHash: Hex): Promise<TransferOrder> {
  const order = await findTransferByTx(db, txHash);
  if (order === undefined) throw notFound('Transfer order');
  return order;
}
