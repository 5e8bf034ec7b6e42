import { z } from 'zod';
import { requireChainOf } from '../accounts/chains-of-actor.ts';
import { notFound } from '../core/domain-error.ts';
import { pageFields, pageOf, pageRange, type Page } from '../core/paging.ts';
import type { TenantServices } from '../services.ts';
import { approvalReply, type approvalReplySchema } from './approval-reply.ts';
import { APPROVAL_STATUSES, findApproval, listApprovals as selectApprovals, type Approval } from './approvals.store.ts';

export const approvalListQuery = z.object({
  ...pageFields,
  status: z.enum(APPROVAL_STATUSES).optional().meta({ description: 'Only in this state' }),
});

/** A page of the account's approvals, newest first. */
export async function listApprovals(
  { db, clock }: TenantServices,
  query: z.output<typeof approvalListQuery>,
): Promise<Page<z.output<typeof approvalReplySchema>>> {
  const range = pageRange(query);
  const { rows, searchedTo } = await selectApprovals(db, query.status, new Date(clock.now()), range);
  return pageOf(rows, range, approvalReply, searchedTo);
}

/**
 * @throws {DomainError} `not-found` if the account has no such approval; `forbidden` if the key is not for its chain.
 */
export async function getApproval({ db, actor, clock }: TenantServices, id: string): Promise<Approval> {
  const approval = await findApproval(db, id, new Date(clock.now()));
  if (approval === undefined) throw notFound('Approval');
  if (approval.chainId !== null) requireChainOf(actor, approval.chainId);
  return approval;
}
