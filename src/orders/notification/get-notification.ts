import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findNotification } from './notifications.store.ts';
import type { Notification } from './notifications.store.ts';

/** @throws {DomainError} `not-found` if the account has no such order; `forbidden` when the key is not for its chain. */
export async function getNotification({ db, actor }: TenantServices, id: string): Promise<Notification> {
  const order = await findNotification(db, id);
  if (order === undefined) throw notFound('Chain notification');
  requireChainOf(actor, order.chainId);
  return order;
}
