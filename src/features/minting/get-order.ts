import { missing } from '../../http/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findOrder } from './orders.ts';
import type { MintingOrder } from './orders.ts';

/** @throws {DomainError} `missing` when the account has no such order. */
export async function getOrder({ db }: TenantServices, id: string): Promise<MintingOrder> {
  const order = await findOrder(db, id);
  if (order === undefined) throw missing('Minting order');
  return order;
}
