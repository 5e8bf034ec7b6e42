import { sql } from 'drizzle-orm';
import { HOLD_REASONS } from '../platform/database/vocabulary/order-status.ts';
import { newId, timePart } from '../core/record-id.ts';
import type { EndedOrder, Hooks } from '../engine/hooks.ts';
import type { LaneNotice } from '../engine/lane-notice.ts';
import type { WalletLane } from '../engine/wallet-lane.ts';
import { orders } from '../platform/database/schema.ts';
import { payloadOf } from './event.ts';
import { endpointsOf, insertEvents, insertNotices, noticeTables, type EventDraft } from './events.store.ts';
import type { NoticeDraft } from './notices.ts';

/** The events that the engine's work causes, stored with it. */
export const engineEvents: Omit<Hooks, 'wake' | 'afterwards'> = {
  held(now) {
    const at = now.toISOString();
    const type = sql`'order.held'::text`;
    return noticeTables(sql`
      select ${timePart(now.getTime())}::text || substr(md5(h.id || ${at}::text), 1, 12) as id, h.corporate_account_id as account,
        ${type} as type, h.chain_id, h.order_id, json_build_object('type', ${type}, 'timestamp', ${at}::text, 'data', json_build_object(
          'orderId', h.order_id, 'orderKind', h.kind, 'chainId', h.chain_id, 'walletAddress', h.wallet_address,
          'reason', ${JSON.stringify(HOLD_REASONS)}::jsonb ->> h.hold_reason, 'detail', h.hold_detail))::text as payload, ${at}::timestamptz as at
      from held h where h.reason_before is distinct from h.hold_reason`);
  },

  // The notice goes to the account whose orders the lane executes.
  ofLane(lane, notice, now) {
    const { chainId, walletAddress } = lane;
    const { type, orderId } = notice;
    const payload = payloadOf({ type, at: now, data: laneData(lane, notice) });
    return noticeTables(sql`
      select ${newId(now.getTime())}::text as id, owner.corporate_account_id as account, ${type}::text as type, ${chainId}::text as chain_id,
        ${orderId}::text as order_id, ${payload}::text as payload, ${now.toISOString()}::timestamptz as at
      from notified, (
        select corporate_account_id from ${orders}
        where chain_id = ${chainId} and wallet_address = ${walletAddress} and bundle_id is null order by nonce desc limit 1
      ) owner`);
  },

  sent: (db, { chainId, walletAddress }, sent, at) =>
    insertNotices(
      db,
      sent.map(({ job: { kind, claim }, hash, nonce }): NoticeDraft => {
        const { orderId, account } = claim;
        const data = { orderId, orderKind: kind.name, chainId, walletAddress, txHash: hash, nonce };
        return { type: 'order.sent', accountId: account.id, chainId, orderId, at, data };
      }),
    ),

  ended: (db, batchId, ended) => insertEvents(db, batchId, ended.flatMap(eventOf)),

  receiversOf: endpointsOf,
};

type LaneData = Extract<NoticeDraft, { readonly type: LaneNotice['type'] }>['data'];

function laneData({ chainId, walletAddress }: WalletLane, notice: LaneNotice): LaneData {
  if (notice.type === 'lane.stuck') return { chainId, walletAddress, orderId: notice.orderId, reason: notice.reason };
  return { chainId, walletAddress, balance: notice.balance, threshold: notice.threshold };
}

function eventOf({ job: { kind, claim, transaction }, outcome, end }: EndedOrder): EventDraft[] {
  if (kind.events === null) return [];
  return [
    {
      kind: kind.name,
      type: kind.events.types[outcome.result].type,
      accountId: claim.account.id,
      chainId: claim.chainId,
      orderId: claim.orderId,
      at: outcome.at,
      data: kind.events.reply(outcome, {
        ...end,
        progress: { hold: null, cancelRequestedAt: transaction.cancelRequestedAt, awaitsApproval: false },
      }),
    },
  ];
}
