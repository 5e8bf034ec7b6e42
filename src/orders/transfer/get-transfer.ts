import type { Hex } from 'viem';
import type { Actor } from '../../accounts/actor.ts';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findTransfer, findTransferByTx } from './transfers.store.ts';
import type { TransferOrder } from './transfers.store.ts';

/** @throws {DomainError} `not-found` if the account has no such order; `forbidden` when the key is not for its chain. */
export async function getTransfer({ db, actor }: TenantServices, id: string): Promise<TransferOrder> {
  return visibleOrder(actor, await findTransfer(db, id));
}

/**
 * The order that a mined transaction executed, successfully or not.
 * @param txHash Lower case.
 * @throws {DomainError} `not-found` if no order of the account has that transaction; `forbidden` when the key is not for its chain.
 */
export async function getTransferByTx({ db, actor }: TenantServices, txHash: Hex): Promise<TransferOrder> {
  return visibleOrder(actor, await findTransferByTx(db, txHash));
}

function visibleOrder(actor: Actor, order: TransferOrder | undefined): TransferOrder {
  if (order === undefined) throw notFound('Transfer order');
  requireChainOf(actor, order.chainId);
  return order;
}
