import { z } from 'zod';
import { addressField, contractAddressField } from '../../core/fields.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import { pageFields, pageOf, pageRange } from '../../core/paging.ts';
import type { Page } from '../../core/paging.ts';
import type { TenantServices } from '../../services.ts';
import { burnReply } from './burn-reply.ts';
import type { BurnReply } from './burn-reply.ts';
import { listBurns as selectBurns } from './burns.store.ts';

export const burnListQuery = z.object({
  ...pageFields,
  status: z.enum(ORDER_STATUS).optional().meta({ description: 'Only in this state' }),
  contractAddress: contractAddressField.optional().meta({ description: 'Only of this contract' }),
  from: addressField.optional().meta({ description: 'Only of this holder' }),
});

/** A page of the account's burns, newest first. */
export async function listBurns(
  { db }: TenantServices,
  query: z.output<typeof burnListQuery>,
): Promise<Page<BurnReply>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await selectBurns(db, query, range);
  return pageOf(rows, range, burnReply, searchedTo);
}
