import { sql } from 'drizzle-orm';
import type { Outcome } from '../../../engine/order-kind.ts';
import type { Statement, SystemDb } from '../../../platform/database/client.ts';
import { claims, orders } from '../../../platform/database/schema.ts';
import { insertNotices } from '../../../webhooks/events.store.ts';
import type { NoticeDraft } from '../../../webhooks/notices.ts';
import type { MintOrder } from '../minting-orders.store.ts';
import { MINT } from '../../order-forms.ts';

/**
 * The statement, for a batch that ends mints, that stores the notice of each claim among them whose time is over; none
 * if none can be one.
 */
export function noticesOfExpired(
  db: SystemDb,
  batchId: string,
  outcomes: readonly Outcome<MintOrder, unknown>[],
): Statement | undefined {
  const drafts = outcomes.flatMap((outcome) => (outcome.result === 'cancelled' ? [draftOf(outcome)] : []));
  if (drafts.length === 0) return undefined;
  const isExpired = sql`exists (
    select 1 from ${claims} c join ${orders} t on t.order_id = c.id and t.kind = ${MINT}
    where c.id = v.order_id and c.claimed_at is null and t.batch_id = ${batchId} and t.cancel_requested_at is null)`;
  return insertNotices(db, drafts, isExpired);
}

function draftOf({ claim: { account, order }, at }: Outcome<MintOrder, unknown>): NoticeDraft {
  const { id, chainId } = order;
  return { type: 'claim.expired', accountId: account.id, chainId, orderId: id, at, data: claimNoticeOf(order) };
}

/** What the notices about a claim say of it. @param order Its minting order. */
export function claimNoticeOf({
  id: claimId,
  chainId,
  contractAddress,
  tokenId,
  amount,
  metadataId,
}: Pick<MintOrder, 'id' | 'chainId' | 'contractAddress' | 'tokenId' | 'amount' | 'metadataId'>) {
  return { claimId, chainId, contractAddress, tokenId, amount, metadataId };
}
