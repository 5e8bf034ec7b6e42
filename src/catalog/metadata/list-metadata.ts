import { z } from 'zod';
import { requireChainOf } from '../../accounts/chains-of-actor.ts';
import { chainIdField, contractAddressField } from '../../core/fields.ts';
import { pageFields, pageOf, pageRange } from '../../core/paging.ts';
import type { Page } from '../../core/paging.ts';
import type { TenantServices } from '../../services.ts';
import { listMetadata as selectMetadata } from './metadata.store.ts';
import { metadataReply } from './metadata-reply.ts';
import type { metadataReplySchema } from './metadata-reply.ts';

export const metadataListQuery = z.object({
  ...pageFields,
  chainId: chainIdField.optional().meta({ description: 'Only intended for this chain' }),
  contractAddress: contractAddressField.optional().meta({ description: 'Only linked to this contract' }),
});

/** A page of the account's metadata documents, newest first. @throws {DomainError} `forbidden` for a chain that the key is not for. */
export async function listMetadata(
  { db, actor }: TenantServices,
  query: z.output<typeof metadataListQuery>,
): Promise<Page<z.output<typeof metadataReplySchema>>> {
  if (query.chainId !== undefined) requireChainOf(actor, query.chainId);
  const range = pageRange(query);
  const { rows, searchedTo } = await selectMetadata(db, query, range);
  return pageOf(rows, range, metadataReply, searchedTo);
}
