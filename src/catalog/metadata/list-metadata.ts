import { z } from 'zod';
import { chainIdField, contractAddressField } from '../../core/fields.ts';
import { pageFields, pageOf, pageRange } from '../../core/paging.ts';
import type { Page } from '../../core/paging.ts';
import type { TenantServices } from '../../services.ts';
import { listMetadata as selectMetadata } from './metadata.store.ts';
import { metadataReply } from './metadata-reply.ts';
import type { metadataReplySchema } from './metadata-reply.ts';

export const metadataListQuery = z.object({
  ...pageFields,
  chainId: chainIdField.optional(),
  contractAddress: contractAddressField.optional(),
});

/** A page of the account's metadata documents, newest first. */
export async function listMetadata(
  { db }: TenantServices,
  query: z.output<typeof metadataListQuery>,
): Promise<Page<z.output<typeof metadataReplySchema>>> {
  const range = pageRange(query);
  return pageOf(await selectMetadata(db, query, range), range, metadataReply);
}
