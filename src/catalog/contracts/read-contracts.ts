import { z } from 'zod';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { chainIdField } from '../../core/fields.ts';
import { CONTRACT_STATUSES, WAITING_FOR_APPROVAL } from '../../platform/database/vocabulary/order-status.ts';
import { pageFields, pageOf, pageRange, type Page } from '../../core/paging.ts';
import { findContract, listContracts as selectContracts, type Contract } from './contracts.store.ts';
import { contractReply, type contractReplySchema } from './contract-reply.ts';

/**
 * Reads a contract of the account.
 * @throws {DomainError} `not-found` when it has none with this id; `forbidden` when the key is not for its chain.
 */
export async function getContract({ db, actor }: TenantServices, id: string): Promise<Contract> {
  const contract = await findContract(db, id);
  if (contract === undefined) throw notFound('Contract');
  requireChainOf(actor, contract.chainId);
  return contract;
}

export const contractListQuery = z.object({
  ...pageFields,
  status: z
    .enum([...CONTRACT_STATUSES, WAITING_FOR_APPROVAL])
    .optional()
    .meta({ description: 'Only in this state' }),
  ercStandard: z.enum(['721', '1155', 'Forwarder']).optional().meta({ description: 'Only of this standard' }),
  chainId: chainIdField.optional().meta({ description: 'Only on this chain' }),
});

/**
 * A page of the account's contracts and forwarders, newest first.
 * @throws {DomainError} `forbidden` for a chain that the key is not for.
 */
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
