import { z } from 'zod';
import { addressField, contractAddressField } from '../../core/fields.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import { pageFields, pageOf, pageRange } from '../../core/paging.ts';
import type { Page } from '../../core/paging.ts';
import type { TenantServices } from '../../services.ts';
import { transferReply } from './transfer-reply.ts';
import type { transferReplySchema } from './transfer-reply.ts';
import { listTransfers as selectTransfers } from './transfers.store.ts';

export const transferListQuery = z.object({
  ...pageFields,
  status: z.enum(ORDER_STATUS).optional().meta({ description: 'Only in this state' }),
  contractAddress: contractAddressField.optional().meta({ description: 'Only of this contract' }),
  from: addressField.optional().meta({ description: 'Only of this holder' }),
});

/** A page of the account's transfer orders, newest first. */
export async function listTransfers(
  { db }: TenantServices,
  query: z.output<typeof transferListQuery>,
): Promise<Page<z.output<typeof transferReplySchema>>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await selectTransfers(db, query, range);
  return pageOf(rows, range, transferReply, searchedTo);
}
