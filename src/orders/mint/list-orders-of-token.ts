import type { LowerCaseAddress } from '../../core/lower-case.ts';
import type { TenantServices } from '../../services.ts';
import { ordersOfToken, type MintingOrder } from './minting-orders.store.ts';

/** An ERC-1155 token can have any number of orders; only the newest ones are returned. */
const MAX_ORDERS = 1_000;

/** The newest orders of a token, newest first. */
export async function listOrdersOfToken(
  { db }: TenantServices,
  token: { readonly contractAddress: LowerCaseAddress; readonly tokenId: string },
): Promise<MintingOrder[]> {
  return await ordersOfToken(db, token.contractAddress, token.tokenId, MAX_ORDERS);
}
