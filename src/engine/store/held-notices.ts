import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { HOLD_REASONS } from '../../core/hold-reason.ts';
import { timePart } from '../../core/record-id.ts';
import { FILLER } from './fillers.ts';

/**
 * The notices of holds that begin or whose reason changes, as drafts for {@link noticeTables}. The statement has a table `held`: the held rows of
 * `transactions`, each with its `reason_before`.
 */
export function heldNotices(now: Date): SQL {
  const at = now.toISOString();
  const type = sql`'order.held'::text`;
  return sql`
    select ${timePart(now.getTime())}::text || substr(md5(h.id || ${at}::text), 1, 12) as id, h.corporate_account_id as account,
      ${type} as type, h.chain_id, h.order_id, json_build_object('type', ${type}, 'timestamp', ${at}::text, 'data', json_build_object(
        'orderId', h.order_id, 'orderKind', h.kind, 'chainId', h.chain_id, 'walletAddress', h.wallet_address,
        'reason', ${JSON.stringify(HOLD_REASONS)}::jsonb ->> h.hold_reason, 'detail', h.hold_detail))::text as payload, ${at}::timestamptz as at
    from held h where h.reason_before is distinct from h.hold_reason and h.kind <> ${FILLER}`;
}
