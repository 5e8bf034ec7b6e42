import { sql } from 'drizzle-orm';
import { newId } from '../../core/ids.ts';
import type { Statement, SystemDb } from '../../platform/database/client.ts';
import { lanes, transactions } from '../../platform/database/schema.ts';
import { payloadOf } from '../../webhooks/event.ts';
import { noticeTables } from '../../webhooks/events.store.ts';
import type { NoticeDraft } from '../../webhooks/notices.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** The notices that are sent once while their reason lasts, and the column with the time of the last one. */
const COLUMNS = { 'lane.stuck': 'stuck_notified_at', 'wallet.low': 'low_notified_at' } as const;

export type LaneNoticeType = keyof typeof COLUMNS;

/** A notice about a lane; its account is the one whose orders the lane executes. */
export type LaneNotice = Pick<Extract<NoticeDraft, { readonly type: LaneNoticeType }>, 'type' | 'orderId' | 'data'>;

/** The statement that stores a notice, unless it was stored before and its reason still lasts. */
export function insertLaneNotice(
  db: SystemDb,
  { chainId, walletAddress }: WalletLane,
  { type, orderId, data }: LaneNotice,
  now: Date,
): Statement {
  const column = sql.identifier(COLUMNS[type]);
  const at = now.toISOString();
  const drafts = sql`
    select ${newId(now.getTime())}::text as id, owner.corporate_account_id as account, ${type}::text as type, ${chainId}::text as chain_id,
      ${orderId}::text as order_id, ${payloadOf({ type, at: now, data })}::text as payload, ${at}::timestamptz as at
    from notified, (
      select corporate_account_id from ${transactions}
      where chain_id = ${chainId} and wallet_address = ${walletAddress} order by nonce desc limit 1
    ) owner`;
  return db.sql.execute(sql`
    with notified as (
      update ${lanes} set ${column} = ${at}::timestamptz
      where chain_id = ${chainId} and wallet_address = ${walletAddress} and ${column} is null returning 1
    ),
    ${noticeTables(drafts)} select endpoint_id from added`);
}

/** The statement that records that the reason of a notice is over. */
export function endLaneNotice(db: SystemDb, { chainId, walletAddress }: WalletLane, type: LaneNoticeType): Statement {
  return db.sql.execute(sql`
    update ${lanes} set ${sql.identifier(COLUMNS[type])} = null
    where chain_id = ${chainId} and wallet_address = ${walletAddress}`);
}
