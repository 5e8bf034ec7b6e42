import { z } from 'zod';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { chainIdField } from '../../core/fields.ts';
import { CONTRACT_STATUSES, WAITING_FOR_APPROVAL } from '../../core/order-status.ts';
import { pageFields, pageOf, pageRange } from '../../core/paging.ts';
import type { Page } from '../../core/paging.ts';
import type { TenantServices } from '../../services.ts';
import { contractReply } from './contract-reply.ts';
import type { contractReplySchema } from './contract-reply.ts';
import { listContracts as selectContracts } from './contracts.store.ts';

export const contractListQuery = z.object({
  ...pageFields,
  status: z
    .enum([...CONTRACT_STATUSES, WAITING_FOR_APPROVAL])
    .optional()
    .meta({ description: 'Only in this state' }),
  ercStandard: z.enum(['721', '1155', 'Forwarder']).optional().meta({ description: 'Only of this standard' }),
  chainId: chainIdField.optional().meta({ description: 'Only on this chain' }),
});

/** A page of the account's contracts and forwarders, newest first. @throws {DomainError} `forbidden` for a chain that the key is not for. */
export async function listContracts(
  { db, account, actor }: TenantServices,
  query: z.output<typeof contractListQuery>,
): Promise<Page<z.output<typeof contractReplySchema>>> {
  if (query.chainId !== undefined) requireChainOf(actor, query.chainId);
  const range = pageRange(query);
  return pageOf(await selectContracts(db, query, range), range, (contract) =>
    contractReply(contract, account.corporateId),
  );
}
