import { sql } from 'drizzle-orm';
import type { Statement, SystemDb } from '../../platform/database/client.ts';
import { lanes } from '../../platform/database/schema.ts';
import type { EngineServices } from '../lane-context.ts';
import type { LaneNotice, LaneNoticeType } from '../lane-notice.ts';
import type { WalletLane } from '../wallet-lane.ts';

/** The column with the time of the last notice of a type. */
const COLUMNS = { 'lane.stuck': 'stuck_notified_at', 'wallet.low': 'low_notified_at' } as const;

/** The statement that tells a lane's account, unless it was told before and the reason still lasts. */
export function insertLaneNotice(
  { db, hooks }: Pick<EngineServices, 'db' | 'hooks'>,
  lane: WalletLane,
  notice: LaneNotice,
  now: Date,
): Statement {
  const column = sql.identifier(COLUMNS[notice.type]);
  return db.sql.execute(sql`
    with notified as (
      update ${lanes} set ${column} = ${now.toISOString()}::timestamptz
      where chain_id = ${lane.chainId} and wallet_address = ${lane.walletAddress} and ${column} is null returning 1
    ),
    ${hooks.ofLane(lane, notice, now)} select endpoint_id from added`);
}

/** The statement that records that the reason of a notice is over. */
export function endLaneNotice(db: SystemDb, { chainId, walletAddress }: WalletLane, type: LaneNoticeType): Statement {
  return db.sql.execute(sql`
    update ${lanes} set ${sql.identifier(COLUMNS[type])} = null
    where chain_id = ${chainId} and wallet_address = ${walletAddress}`);
}
