import type { Address, Hex } from 'viem';
import type { Actor } from '../../accounts/actor.ts';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findOrder, findOrderByTx, ordersOfToken } from './minting-orders.store.ts';
import type { MintingOrder } from './minting-orders.store.ts';

/** An ERC-1155 token can have any number of orders; only the newest ones are returned. */
const MAX_ORDERS = 1_000;

/** @throws {DomainError} `not-found` if the account has no such order; `forbidden` when the key is not for its chain. */
export async function getOrder({ db, actor }: TenantServices, id: string): Promise<MintingOrder> {
  return visibleOrder(actor, await findOrder(db, id));
}

/**
 * @param txHash Lower case.
 * @throws {DomainError} `not-found` if no order of the account has that transaction; `forbidden` when the key is not for its
 *   chain.
 */
export async function getOrderByTx({ db, actor }: TenantServices, txHash: Hex): Promise<MintingOrder> {
  return visibleOrder(actor, await findOrderByTx(db, txHash));
}

/** The newest orders of a token, newest first. */
export async function getOrdersOfToken(
  { db }: TenantServices,
  token: { readonly contractAddress: Address; readonly tokenId: string },
): Promise<MintingOrder[]> {
  return await ordersOfToken(db, token.contractAddress, token.tokenId, MAX_ORDERS);
}

function visibleOrder(actor: Actor, order: MintingOrder | undefined): MintingOrder {
  if (order === undefined) throw notFound('Minting order');
  requireChainOf(actor, order.chainId);
  return order;
}
