import { sql } from 'drizzle-orm';
import { newId } from '../../core/ids.ts';
import type { Statement, SystemDb } from '../../platform/database/client.ts';
import { lanes, transactions } from '../../platform/database/schema.ts';
import { payloadOf } from '../../webhooks/event.ts';
import { noticeTables } from '../../webhooks/events.store.ts';
import type { NoticeDraft } from '../../webhooks/notices.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** What the account of a lane is told once, until it is over: the column that has when it was told. */
const TOLD = { 'lane.stuck': 'stuck_told_at', 'wallet.low': 'low_told_at' } as const;

export type LaneNoticeType = keyof typeof TOLD;

/** A notice about a lane; its account is the one whose orders the lane carries out. */
export type LaneNotice = Pick<Extract<NoticeDraft, { readonly type: LaneNoticeType }>, 'type' | 'orderId' | 'data'>;

/** The statement that notes that the account is told, and writes the notice, unless it was told before. */
export function tellOfLane(
  db: SystemDb,
  { chainId, walletAddress }: WalletLane,
  { type, orderId, data }: LaneNotice,
  now: Date,
): Statement {
  const column = sql.identifier(TOLD[type]);
  const at = now.toISOString();
  const drafts = sql`
    select ${newId(now.getTime())}::text as id, owner.corporate_account_id as account, ${type}::text as type,
      ${orderId}::text as order_id, ${payloadOf({ type, at: now, data })}::text as payload, ${at}::timestamptz as at
    from told, (
      select corporate_account_id from ${transactions}
      where chain_id = ${chainId} and wallet_address = ${walletAddress} order by nonce desc limit 1
    ) owner`;
  return db.sql.execute(sql`
    with told as (
      update ${lanes} set ${column} = ${at}::timestamptz
      where chain_id = ${chainId} and wallet_address = ${walletAddress} and ${column} is null returning 1
    ),
    ${noticeTables(drafts)} select id from added`);
}

/** The statement that notes that what the account was told of is over. */
export function endLaneNotice(db: SystemDb, { chainId, walletAddress }: WalletLane, type: LaneNoticeType): Statement {
  return db.sql.execute(sql`
    update ${lanes} set ${sql.identifier(TOLD[type])} = null
    where chain_id = ${chainId} and wallet_address = ${walletAddress}`);
}
