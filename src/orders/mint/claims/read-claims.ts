import { z } from 'zod';
import { requireChainOf } from '../../../accounts/chains-of-actor.ts';
import { notFound } from '../../../core/domain-error.ts';
import { contractAddressField } from '../../../core/fields.ts';
import { pageFields, pageOf, pageRange, type Page } from '../../../core/paging.ts';
import type { TenantServices } from '../../../services.ts';
import { claimReply, type claimReplySchema } from './claim-reply.ts';
import { CLAIM_STATUSES, claimsWith, listClaims as selectClaims, type Claim } from './claims.store.ts';

export const claimListQuery = z.object({
  ...pageFields,
  status: z.enum(CLAIM_STATUSES).optional().meta({ description: 'Only in this state' }),
  contractAddress: contractAddressField.optional().meta({ description: 'Only of this contract' }),
});

/** A page of the account's claims, newest first. */
export async function listClaims(
  { db, clock }: TenantServices,
  query: z.output<typeof claimListQuery>,
): Promise<Page<z.output<typeof claimReplySchema>>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await selectClaims(db, query, new Date(clock.now()), range);
  return pageOf(rows, range, claimReply, searchedTo);
}

/** @throws {DomainError} `not-found` if the account has no such claim; `forbidden` if the key is not for its chain. */
export async function getClaim({ db, actor, clock }: TenantServices, id: string): Promise<Claim> {
  const [claim] = await claimsWith(db, [id], new Date(clock.now()));
  if (claim === undefined) throw notFound('Claim');
  requireChainOf(actor, claim.chainId);
  return claim;
}
