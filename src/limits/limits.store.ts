import { eq, inArray, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { lowerCase } from '../core/lower-case.ts';
import { idAt, newId } from '../core/record-id.ts';
import { runBatch, type ResultsOf, type Statement, type SystemDb, type TenantDb } from '../platform/database/client.ts';
import { runChange } from '../platform/database/record-change.ts';
import { abortDetail, abortTransaction } from '../platform/database/errors.ts';
import {
  accountLimits,
  approvals,
  corporateAccounts,
  orders,
  unfinishedStates,
  type StoredLimits,
} from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { valuesTable } from '../platform/database/values.ts';
import { approvalNotice } from '../webhooks/notices.ts';
import { isNoticeWanted, noticeTables } from '../webhooks/events.store.ts';
import { dayStart, LimitExceeded } from './account-limits.ts';
import { lockLimits } from './admission.store.ts';
import { BUNDLE } from '../engine/store/bundles.ts';
import type { AnyOrderKind } from '../engine/order-kind.ts';
import { insertionOf, type ApprovalRequest, type Insertion, type NewOrder } from '../engine/transactions.store.ts';

/** What acceptance needs of a kind. */
export type AcceptedKind = Pick<AnyOrderKind, 'name' | 'resource' | 'dependency' | 'parties' | 'columns'>;

export interface AcceptedOrder extends Omit<NewOrder, 'accountId' | 'columns'> {
  /** As its kind knows it. */
  readonly order: unknown;
}

/** The database of an account while it accepts orders, in `withinLimits`. */
export interface AcceptingDb extends TenantDb {
  /** Whether to expect that the account has limits, approvals apart. A wrong `false` is noticed and corrected. */
  readonly isLimited: boolean;
}

/** What accepting orders adds to a batch besides what stores them, before and after that. */
type Acceptance = { readonly limits?: Statement; readonly accepted?: Statement };

/**
 * The last writing statements of a batch that accepts orders: they store them with their transactions, count them against
 * the account's limits (those of a day once, then in the limits' row), and store the approvals that they need, each with
 * its notice. The limits are locked first, so that two requests never exceed one together; the last statement fails, and
 * with it the batch, if a limit refuses an order. Orders that an earlier attempt has stored are not counted again.
 * Without limits it is one statement.
 */
export function acceptOrders(
  db: AcceptingDb,
  kind: AcceptedKind,
  news: readonly AcceptedOrder[],
  now: Date,
  insertion: Omit<Insertion, 'batchId' | 'from'> = {},
): Acceptance & { readonly stored: Statement<{ readonly rows: readonly { readonly id: string }[] }> } {
  const batchId = newId(now.getTime());
  const insert = sql`${insertAccepted(db, kind, news, now, { ...insertion, batchId })} returning order_id as id`;
  if (isUnlimited(db, news)) {
    const statement = sql`with stored as (${insert}) select id from stored where ${hasNoLimits(db)}`;
    return { stored: db.sql.execute(tagged('accept-unlimited', statement)) };
  }
  const { limits, accepted } = acceptLimited(db, kind, news, now, batchId);
  return { limits, stored: db.sql.execute(tagged('accept-orders', insert)), accepted };
}

/** The same for orders that other statements store, by {@link insertAccepted} with this mark. */
export function acceptanceOf(
  db: AcceptingDb,
  kind: AcceptedKind,
  news: readonly AcceptedOrder[],
  now: Date,
  batchId: string,
): Acceptance {
  if (!isUnlimited(db, news)) return acceptLimited(db, kind, news, now, batchId);
  return { accepted: db.sql.execute(tagged('accept-unlimited', sql`select where ${hasNoLimits(db)}`)) };
}

/** The insert of orders of the account, as a part of a statement. */
export function insertAccepted(
  db: TenantDb,
  kind: AcceptedKind,
  news: readonly AcceptedOrder[],
  now: Date,
  insertion: Insertion,
): SQL {
  const rows = news.map((order) => ({ ...order, accountId: db.accountId, columns: kind.columns(order.order) }));
  return insertionOf(db.asked, kind, rows, now, insertion);
}

function isUnlimited(db: AcceptingDb, news: readonly AcceptedOrder[]): boolean {
  return !db.isLimited && news.every(({ approval }) => approval === undefined);
}

/** A condition that is true for an account that had no limits when its request began; it aborts if it has some now. */
function hasNoLimits(db: TenantDb): SQL {
  const limits = sql`select from ${accountLimits} where corporate_account_id = ${db.accountId}`;
  return sql`case when exists (${limits}) then ${abortTransaction('limits_set')} is null else true end`;
}

function acceptLimited(
  db: TenantDb,
  kind: AcceptedKind,
  rows: readonly AcceptedOrder[],
  now: Date,
  batchId: string,
): Required<Acceptance> {
  const shape = {
    order_id: 'text',
    chain_id: 'text',
    place: 'integer',
    contract: 'text',
    receivers: 'jsonb',
    action: 'text',
    requested_by: 'text',
    notice: 'jsonb',
  } as const;
  const values = rows.map(({ orderId, chainId, order, approval }, place) => {
    const { contract, receivers } = kind.parties(order);
    return {
      order_id: orderId,
      chain_id: chainId,
      place,
      contract: contract === null ? null : lowerCase(contract),
      receivers: receivers.map(lowerCase),
      action: approval?.action ?? null,
      requested_by: approval?.requestedBy ?? null,
      notice: approval && noticeOf(orderId, chainId, approval, now),
    };
  });
  const today = new Date(dayStart(now.getTime())).toISOString();
  // Left out where no order can need approval: most requests are mints.
  const notices = rows.some(({ approval }) => approval !== undefined)
    ? sql`${noticeTables(sql`
        select a.notice->>'id' as id, ${db.accountId}::text as account, a.notice->>'type' as type, a.chain_id, a.order_id,
          a.notice->>'payload' as payload, ${now.toISOString()}::timestamptz as at
        from asked a join awaiting on awaiting.id = a.order_id`)},`
    : sql`added as (select null as endpoint_id where false),`;
  const statement = sql`
    with asked as (select * from ${valuesTable('v', shape, values)}),
    accepted as (
      select t.order_id, t.chain_id, t.approval_until from asked a join ${orders} t on t.order_id = a.order_id
      where t.kind = ${kind.name} and t.batch_id = ${batchId}
    ),
    awaiting as (
      insert into ${approvals} (id, corporate_account_id, action, kind, chain_id, requested_by, expires_at, created_at)
      select a.order_id, ${db.accountId}, a.action, ${kind.name}, a.chain_id, a.requested_by, accepted.approval_until,
        ${now.toISOString()}::timestamptz
      from asked a join accepted using (order_id) where accepted.approval_until is not null and a.action is not null
      returning id
    ),
    ${notices}
    fresh as (
      select a.*, row_number() over (order by a.place desc) as from_end,
        row_number() over (partition by a.chain_id order by a.place desc) as from_end_of_chain
      from asked a join accepted using (order_id)
    ),
    counted as (
      update ${accountLimits} set orders_day = ${today}::timestamptz,
        orders_of_day = ${ordersOfDay(db, new Date(today), sql`and t.batch_id is distinct from ${batchId}`)} + (select count(*) from fresh)
      where corporate_account_id = ${db.accountId} and limits->>'ordersPerDay' is not null
      returning orders_of_day as orders
    ),
    refused as (${refusals(db, now)}),
    found as (
      select jsonb_agg(jsonb_build_object('orderId', r.order_id, 'limit', r.refused_by, 'chainId', r.of_chain, 'value', r.value,
        'isNotified', coalesce((l.notified ->> (r.refused_by || coalesce(':' || r.of_chain, '')))::timestamptz > ${now.toISOString()}::timestamptz, false)
          or not ${isNoticeWanted(db.accountId, 'limit.reached', sql`r.of_chain`)}
      ))::text as refusals
      from refused r, ${accountLimits} l where l.corporate_account_id = ${db.accountId}
    )
    select (select ${abortTransaction('limits_exceeded', sql`refusals`)} from found where refusals is not null),
      (select coalesce(jsonb_agg(endpoint_id), '[]') from added) as "endpointIds"`;
  return {
    limits: lockLimits(db, [db.accountId]),
    accepted: db.sql.execute(tagged('check-limits', statement)),
  };
}

function noticeOf(approvalId: string, chainId: string, { action, requestedBy, until }: ApprovalRequest, now: Date) {
  return approvalNotice({ approvalId, action, chainId, requestedBy, expiresAt: until }, now);
}

const acceptedReply = z.object({ rows: z.array(z.object({ endpointIds: z.array(z.string()) })) });

/** The endpoints of the notices that {@link acceptOrders} has stored: wake them after the commit. */
export function endpointsOfAccepted({ accepted }: ResultsOf<Acceptance>): string[] {
  if (accepted === undefined) return [];
  return acceptedReply.parse(accepted).rows.flatMap(({ endpointIds }) => endpointIds);
}

/**
 * The refused orders among `fresh`, which are stored, with the limit that refuses each and its value. If there are too
 * many orders, the last ones are refused.
 */
function refusals(db: TenantDb, now: Date): SQL {
  const today = new Date(dayStart(now.getTime()));
  const ofAccount = sql`t.corporate_account_id = ${db.accountId}`;
  const pending = pendingOrders(db);
  const limits = sql`(select limits as m from ${accountLimits} where corporate_account_id = ${db.accountId}) l`;
  return sql`
    select order_id, 'chains' as refused_by, chain_id as of_chain, null::text as value from fresh, ${limits}
    where jsonb_typeof(m->'chains') = 'array' and not m->'chains' ? chain_id
    union all
    select order_id, 'contracts', chain_id, null from fresh, ${limits}
    where jsonb_typeof(m->'contracts') = 'array' and not m->'contracts' ? contract
    union all
    select order_id, 'receivers', chain_id, null from fresh, ${limits}
    where jsonb_typeof(m->'receivers') = 'array'
      and exists (
        select 1 from jsonb_array_elements_text(receivers) r where not m->'receivers' ? r
          and r <> (select lower(wallet_address) from ${corporateAccounts} where id = ${db.accountId}))
    union all
    select order_id, 'ordersPerDay', null, m->>'ordersPerDay' from fresh, counted, ${limits}
    where from_end <= counted.orders - (m->>'ordersPerDay')::bigint
    union all
    select order_id, 'pendingOrders', null, m->>'pendingOrders' from fresh, ${limits}
    where m->>'pendingOrders' is not null
      and from_end <= (${pending}) - (m->>'pendingOrders')::bigint
    union all
    select order_id, 'spendPerDay', chain_id, per_day from fresh join (
      select c.chain_id, spend->>'perDay' as per_day,
        case when spend->>'perOrder' is null then
          case when spent < (spend->>'perDay')::numeric then 0 else c.orders end
        else spent + waiting * (spend->>'perOrder')::numeric - (spend->>'perDay')::numeric end as excess,
        coalesce(greatest((spend->>'perOrder')::numeric, 1), 1) as each
      from (select chain_id, count(*) as orders from fresh group by chain_id) c, ${limits},
        lateral (select m->'spend'->c.chain_id as spend) s,
        lateral (
          select coalesce(sum(t.spent_wei), 0) as spent from ${orders} t
          where ${ofAccount} and t.chain_id = c.chain_id and t.spent_at >= ${today.toISOString()}::timestamptz
        ) already,
        lateral (${pending} and t.chain_id = c.chain_id and t.state = 'waiting') reserved(waiting)
      where s.spend->>'perDay' is not null
    ) over using (chain_id)
    where (from_end_of_chain - 1) * each < excess`;
}

/**
 * The refusal that a batch of acceptance failed with; undefined for any other error. Nothing of the batch is stored.
 */
export function parseLimitRefusal(error: unknown, now: Date): LimitExceeded | undefined {
  const found = abortDetail(error, 'limits_exceeded');
  return found === undefined ? undefined : LimitExceeded.parse(found, now.getTime());
}

/** Replaces the limits of an account, by its `corporateId`. @returns its id; undefined if there is none. */
export async function storeLimits(
  db: SystemDb,
  corporateId: string,
  limits: StoredLimits,
  now: Date,
): Promise<string | undefined> {
  const store = db.sql.execute<{ id: string }>(sql`
    insert into ${accountLimits} (corporate_account_id, limits, updated_at)
    select id, ${JSON.stringify(limits)}::jsonb, ${now.toISOString()}::timestamptz from corporate_accounts where corporate_id = ${corporateId}
    on conflict (corporate_account_id) do update set limits = excluded.limits, notified = excluded.notified, updated_at = excluded.updated_at,
      -- Orders are counted only while they are limited.
      orders_day = case when ${accountLimits.limits}->>'ordersPerDay' is not null then ${accountLimits.ordersDay} end
    returning corporate_account_id as id`);
  const { stored } = await runChange(
    db,
    { stored: store },
    sql`select id from corporate_accounts where corporate_id = ${corporateId}`,
  );
  return stored.rows[0]?.id;
}

/**
 * An account's limits, null if it has none, and what counts against them now: spend only on chains that the caller may
 * see. One round trip.
 */
export async function readUsage(db: TenantDb, now: Date) {
  const today = new Date(dayStart(now.getTime()));
  const {
    limits: [row],
    counts,
    spent,
  } = await runBatch(db, {
    limits: db.sql
      .select({ limits: accountLimits.limits })
      .from(accountLimits)
      .where(eq(accountLimits.corporateAccountId, db.accountId)),
    counts: db.sql.execute<{ today: string; pending: string }>(
      sql`select coalesce(
        (select ${ordersOfDay(db, today)} from ${accountLimits} where corporate_account_id = ${db.accountId}),
        (${ordersSince(db, today)})) as today, (${pendingOrders(db)}) as pending`,
    ),
    spent: db.sql.execute<{ chainId: string; wei: string }>(sql`
      select t.chain_id as "chainId", sum(t.spent_wei)::text as wei from ${orders} t
      where t.corporate_account_id = ${db.accountId} and t.spent_at >= ${today.toISOString()}::timestamptz
        and ${db.chainIds === undefined ? sql`true` : inArray(sql`t.chain_id`, [...db.chainIds])}
      group by t.chain_id order by t.chain_id`),
  });
  return {
    limits: row?.limits ?? null,
    ordersToday: Number(counts.rows[0]?.today ?? 0),
    pendingOrders: Number(counts.rows[0]?.pending ?? 0),
    spent: spent.rows,
  };
}

/**
 * The account's orders of a day, by the row of its limits: from its counter, if that has them.
 * @param among A condition on the orders `t`, where the counter lacks some.
 */
function ordersOfDay(db: TenantDb, day: Date, among = sql``): SQL {
  const { ordersDay, ordersOfDay: counted, limits } = accountLimits;
  return sql`case when ${ordersDay} = ${day.toISOString()}::timestamptz and ${limits}->>'ordersPerDay' is not null
    then ${counted} else (${ordersSince(db, day)} ${among}) end`;
}

/**
 * The statement that counts the orders that the account has made since a time: each has a transaction, whatever its
 * kind. The ownership transfer that follows a deployment has the order of that.
 */
function ordersSince({ accountId }: TenantDb, since: Date): SQL {
  return sql`select count(distinct t.order_id) from ${orders} t
    where t.corporate_account_id = ${accountId} and t.id >= ${idAt(since.getTime())} and t.kind <> ${BUNDLE}`;
}

/** The statement that counts the account's unfinished orders. */
function pendingOrders({ accountId }: TenantDb): SQL {
  return sql`select count(*) from ${orders} t
    where t.corporate_account_id = ${accountId} and t.state in ${unfinishedStates} and t.kind <> ${BUNDLE}`;
}
