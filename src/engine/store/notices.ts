import { sql, type SQL } from 'drizzle-orm';
import { newId, timePart } from '../../core/record-id.ts';
import type { Statement, SystemDb, TenantDb } from '../../platform/database/client.ts';
import { accountLimits, lanes, orders } from '../../platform/database/schema.ts';
import { payloadOf } from '../../webhooks/event.ts';
import { isNoticeWanted, noticeTables } from '../../webhooks/events.store.ts';
import type { LimitName, NoticeDraft } from '../../webhooks/notices.ts';
import type { WalletLane } from '../wallet-lane.ts';
import { HOLD_REASONS } from '../../core/order-status.ts';
import { formatEther, formatGwei } from 'viem';
import { tagged } from '../../platform/database/tagged.ts';
import { dayEnd, type ReachedLimit } from '../account-limits.ts';
import type { Job } from '../job.ts';

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
      select corporate_account_id from ${orders}
      where chain_id = ${chainId} and wallet_address = ${walletAddress} and bundle_id is null order by nonce desc limit 1
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

/**
 * The notices of holds that begin or whose reason changes, as drafts for {@link noticeTables}. The statement has a
 * table `held`: the held rows of `orders`, each with its `reason_before`.
 */
export function heldNotices(now: Date): SQL {
  const at = now.toISOString();
  const type = sql`'order.held'::text`;
  return sql`
    select ${timePart(now.getTime())}::text || substr(md5(h.id || ${at}::text), 1, 12) as id, h.corporate_account_id as account,
      ${type} as type, h.chain_id, h.order_id, json_build_object('type', ${type}, 'timestamp', ${at}::text, 'data', json_build_object(
        'orderId', h.order_id, 'orderKind', h.kind, 'chainId', h.chain_id, 'walletAddress', h.wallet_address,
        'reason', ${JSON.stringify(HOLD_REASONS)}::jsonb ->> h.hold_reason, 'detail', h.hold_detail))::text as payload, ${at}::timestamptz as at
    from held h where h.reason_before is distinct from h.hold_reason`;
}

/** How long no further notice is stored of a limit that is not daily, in milliseconds. */
const QUIET_MS = 3_600_000;

const DAILY: ReadonlySet<LimitName> = new Set(['ordersPerDay', 'spendPerDay']);

/** The key of a limit in `account_limits.notified`; the statement that accepts orders builds the same in SQL. */
function keyOf({ limit, chainId }: ReachedLimit): string {
  return chainId === null ? limit : `${limit}:${chainId}`;
}

/**
 * The statement that stores `limit.reached`, unless no endpoint gets it, or it was stored for this limit in the same
 * window: the UTC day of a limit of a day, otherwise an hour.
 * @param orderId The held order; null if the limit has refused one.
 */
export function insertLimitNotice(
  db: Pick<SystemDb | TenantDb, 'sql'>,
  accountId: string,
  reached: ReachedLimit,
  orderId: string | null,
  now: Date,
): Statement {
  const { limit, chainId } = reached;
  const type = 'limit.reached';
  const at = now.toISOString();
  const end = new Date(DAILY.has(limit) ? dayEnd(now.getTime()) : now.getTime() + QUIET_MS).toISOString();
  const data: Extract<NoticeDraft, { readonly type: typeof type }>['data'] = {
    limit,
    chainId,
    value: readableValue(reached),
    effect: orderId === null ? 'REFUSED' : 'HELD',
    orderId,
    freesAt: DAILY.has(limit) ? end : null,
  };
  const drafts = sql`
    select ${newId(now.getTime())}::text as id, ${accountId}::text as account, ${type}::text as type, ${chainId}::text as chain_id,
      ${orderId}::text as order_id, ${payloadOf({ type, at: now, data })}::text as payload, ${at}::timestamptz as at
    from notified`;
  return db.sql.execute(
    tagged(
      'insert-limit-notice',
      sql`
    with notified as (
      update ${accountLimits} set notified = notified || jsonb_build_object(${keyOf(reached)}::text, ${end}::text)
      where corporate_account_id = ${accountId}
        and coalesce((notified ->> ${keyOf(reached)})::timestamptz <= ${at}::timestamptz, true)
        and ${isNoticeWanted(accountId, type, chainId)}
      returning 1
    ),
    ${noticeTables(drafts)} select endpoint_id from added`,
    ),
  );
}

/** The statements that store the notices of holds by limits: one for each limit of an account. */
export function holdNotices(
  db: SystemDb,
  holds: readonly { readonly job: Pick<Job, 'transaction'>; readonly reached?: ReachedLimit }[],
  now: Date,
): Statement[] {
  const byLimit = new Map(
    holds
      .toReversed()
      .flatMap(({ job: { transaction }, reached }) =>
        reached === undefined
          ? []
          : [
              [
                `${transaction.corporateAccountId} ${keyOf(reached)}`,
                { accountId: transaction.corporateAccountId, reached, orderId: transaction.orderId },
              ],
            ],
      ),
  );
  return Array.from(byLimit.values(), ({ accountId, reached, orderId }) =>
    insertLimitNotice(db, accountId, reached, orderId, now),
  );
}

function readableValue({ limit, value }: ReachedLimit): string | null {
  if (value === null) return null;
  if (limit === 'spendPerDay' || limit === 'spendPerOrder') return formatEther(BigInt(value));
  return limit === 'gasPrice' ? formatGwei(BigInt(value)) : value;
}
