import type { Hex } from 'viem';
import type { Actor } from '../../accounts/actor.ts';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findBurn, findBurnByTx } from './burns.store.ts';
import type { BurnOrder } from './burns.store.ts';

/** @throws {DomainError} `not-found` if the account has no such order; `forbidden` when the key is not for its chain. */
export async function getBurn({ db, actor }: TenantServices, id: string): Promise<BurnOrder> {
  return visibleOrder(actor, await findBurn(db, id));
}

/**
 * The order that a mined transaction executed, successfully or not.
 * @param txHash Lower case.
 * @throws {DomainError} `not-found` if no order of the account has that transaction; `forbidden` when the key is not for its chain.
 */
export async function getBurnByTx({ db, actor }: TenantServices, txHash: Hex): Promise<BurnOrder> {
  return visibleOrder(actor, await findBurnByTx(db, txHash));
}

function visibleOrder(actor: Actor, order: BurnOrder | undefined): BurnOrder {
  if (order === undefined) throw notFound('Burn order');
  requireChainOf(actor, order.chainId);
  return order;
}
