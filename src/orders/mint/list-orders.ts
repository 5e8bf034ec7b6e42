import { z } from 'zod';
import { addressField, contractAddressField } from '../../core/fields.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import { pageFields, pageOf, pageRange } from '../../core/paging.ts';
import type { Page } from '../../core/paging.ts';
import type { TenantServices } from '../../services.ts';
import { orderReply } from './order-reply.ts';
import type { orderReplySchema } from './order-reply.ts';
import { listOrders as selectOrders } from './minting-orders.store.ts';

export const orderListQuery = z.object({
  ...pageFields,
  status: z.enum(ORDER_STATUS).optional().meta({ description: 'Only in this state' }),
  contractAddress: contractAddressField.optional().meta({ description: 'Only of this contract' }),
  receiverAddress: addressField.optional().meta({ description: 'Only to this receiver' }),
});

/** A page of the account's minting orders, newest first. */
export async function listOrders(
  { db }: TenantServices,
  query: z.output<typeof orderListQuery>,
): Promise<Page<z.output<typeof orderReplySchema>>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await selectOrders(db, query, range);
  return pageOf(rows, range, orderReply, searchedTo);
}
