import type { Address, Hex } from 'viem';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findOrder, findOrderByTx, ordersOfToken } from './minting-orders.store.ts';
import type { MintingOrder } from './minting-orders.store.ts';

/** An ERC-1155 token can have any number of orders; only the newest ones are returned. */
const MAX_ORDERS = 1_000;

/** @throws {DomainError} `not-found` if the account has no such order. */
export async function getOrder({ db }: TenantServices, id: string): Promise<MintingOrder> {
  return (await findOrder(db, id)) ?? noOrder();
}

/** @param txHash Lower case. @throws {DomainError} `not-found` if no order of the account has that transaction. */
export async function getOrderByTx({ db }: TenantServices, txHash: Hex): Promise<MintingOrder> {
  return (await findOrderByTx(db, txHash)) ?? noOrder();
}

/** The newest orders of a token, newest first. */
export async function getOrdersOfToken(
  { db }: TenantServices,
  token: { readonly contractAddress: Address; readonly tokenId: string },
): Promise<MintingOrder[]> {
  return await ordersOfToken(db, token.contractAddress, token.tokenId, MAX_ORDERS);
}

function noOrder(): never {
  throw notFound('Minting order');
}
