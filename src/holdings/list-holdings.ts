import { z } from 'zod';
import { requireChainOf } from '../accounts/chains-of-actor.ts';
import { addressField, chainIdField, contractAddressField, recordIdField, tokenIdField } from '../core/fields.ts';
import { lowerCase } from '../core/lower-case.ts';
import { pageFields, pageOf, pageRange, type Page } from '../core/paging.ts';
import { addressReply, chainIdReply, contractAddressReply, tokenIdReply, unitsReply } from '../core/reply-fields.ts';
import { broken } from '../core/validation-messages.ts';
import type { TenantServices } from '../services.ts';
import { listHoldings as selectHoldings, type Holding } from './holdings.store.ts';

export const holdingSchema = z
  .object({
    chainId: chainIdReply,
    contractAddress: contractAddressReply,
    tokenId: tokenIdReply,
    holder: addressReply.meta({
      description: 'Who holds the tokens, in lower case; the zero address where the operator has erased a holder',
    }),
    amount: unitsReply,
  })
  .meta({ id: 'Holding' });

/** GET /holdings. */
export const holdingsQuery = z
  .object({
    limit: pageFields.limit,
    cursor: recordIdField.optional().meta({ description: 'nextCursor of the previous page' }),
    chainId: chainIdField.optional().meta({ description: 'Only on this chain' }),
    contractAddress: contractAddressField.optional().meta({ description: 'Only of this contract' }),
    tokenId: tokenIdField.optional().meta({ description: 'Only of this token; needs contractAddress' }),
    holder: addressField.transform(lowerCase).optional().meta({
      type: 'string',
      description: 'Only what this address holds, in any letter case',
    }),
  })
  .refine(({ tokenId, contractAddress }) => tokenId === undefined || contractAddress !== undefined, {
    ...broken('required', 'is required with tokenId'),
    path: ['contractAddress'],
  });

/**
 * A page of who holds what of the account's contracts, by the index of their transfers. The order is always the same,
 * but says nothing.
 * @throws {DomainError} `forbidden` for a chain that the key is not for.
 */
export async function listHoldings(
  { db, actor }: TenantServices,
  query: z.output<typeof holdingsQuery>,
): Promise<Page<z.output<typeof holdingSchema>>> {
  if (query.chainId !== undefined) requireChainOf(actor, query.chainId);
  const range = pageRange({ ...query, createdFrom: undefined, createdTo: undefined });
  return pageOf(await selectHoldings(db, query, range), range, holdingReply);
}

function holdingReply({ chainId, contractAddress, tokenId, holder, amount }: Holding): z.output<typeof holdingSchema> {
  return { chainId, contractAddress, tokenId, holder, amount };
}
