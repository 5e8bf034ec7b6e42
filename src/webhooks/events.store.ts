import { sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import type { Statement, SystemDb } from '../platform/database/client.ts';
import { valuesTable } from '../platform/database/values.ts';
import { orders, webhookDeliveries, webhookEndpoints, webhookEvents } from '../platform/database/schema.ts';
import { CHAINS } from '../chains/list.ts';
import { newId } from '../core/record-id.ts';
import { MAX_ATTEMPTS, payloadOf } from './event.ts';
import type { NoticeDraft, NoticeType } from './notices.ts';
import { firstOfEachEndpoint } from './waiting-endpoints.store.ts';
import { tagged } from '../platform/database/tagged.ts';

/** The end of an order, as an event before it is stored. */
export interface EventDraft {
  /** An event type, such as `mint.confirmed`. */
  readonly type: string;
  /** The name of the order's kind. */
  readonly kind: string;
  readonly accountId: string;
  readonly chainId: string;
  readonly orderId: string;
  readonly at: Date;
  /** The resource's response form at that time. */
  readonly data: Readonly<Record<string, unknown>>;
}

const draftShape = {
  id: 'text',
  account: 'text',
  type: 'text',
  chain_id: 'text',
  order_id: 'text',
  payload: 'text',
  at: 'timestamptz',
} as const;

function draftRow({ type, accountId, chainId, orderId, at, data }: EventDraft | NoticeDraft) {
  return {
    id: newId(at.getTime()),
    account: accountId,
    type,
    chain_id: chainId,
    order_id: orderId,
    payload: payloadOf({ type, at, data }),
    at: at.toISOString(),
  };
}

const mainChains = CHAINS.filter(({ kind }) => kind === 'main').map(({ id }) => id);

/**
 * The condition under which an endpoint `p` gets an event `d`. An endpoint that names no types gets the ends of orders.
 */
function isFor(what: 'ends' | 'notices'): SQL {
  const named = sql`d.type = any(p.event_types)`;
  const types = what === 'ends' ? sql`(p.event_types is null or ${named})` : named;
  const chains = sql`(p.chain_kind is null or d.chain_id is null
    or p.chain_kind = case when d.chain_id in ${mainChains} then 'main' else 'test' end)`;
  return sql`p.corporate_account_id = d.account and p.status = 'ENABLED' and ${types} and ${chains}`;
}

/**
 * The common table expressions that store events with a delivery for each endpoint that gets them; `added` has the
 * endpoint of each delivery. Every end is stored; a notice is stored only if an endpoint gets it.
 * @param drafts A query with the columns `id, account, type, chain_id, order_id, payload, at`.
 */
function eventTables(what: 'ends' | 'notices', drafts: SQL): SQL {
  const isWanted = what === 'ends' ? sql`true` : sql`exists (select 1 from ${webhookEndpoints} p where ${isFor(what)})`;
  return sql`
    drafts as materialized (${drafts}),
    stored as (
      insert into ${webhookEvents} (id, corporate_account_id, type, related_order_id, payload, created_at, updated_at)
      select id, account, type, order_id, payload, at, at from drafts d where ${isWanted}
    ),
    added as (
      insert into ${webhookDeliveries} (id, webhook_event_id, webhook_endpoint_id, corporate_account_id, event_type,
        related_order_id, chain_id, attempt_limit, next_attempt_at, created_at, updated_at)
      select substr(d.id, 1, 12) || substr(md5(d.id || p.id), 1, 12), d.id, p.id, d.account, d.type, d.order_id, d.chain_id,
        ${MAX_ATTEMPTS}::int, d.at, d.at, d.at
      from drafts d join ${webhookEndpoints} p on ${isFor(what)}
      returning webhook_endpoint_id as endpoint_id
    )`;
}

/**
 * The common table expressions that store notices, as a part of the statement that makes what they report.
 * @param drafts A query with the columns `id, account, type, chain_id, order_id, payload, at`.
 */
export function noticeTables(drafts: SQL): SQL {
  return eventTables('notices', drafts);
}

/**
 * The condition that an endpoint of an account gets notices of a type.
 * @param accountId Of the account, or a query for it.
 * @param chainId The chain that they are about, or a column with it; null if they are about none.
 */
export function isNoticeWanted(accountId: string | SQL, type: NoticeType, chainId: string | SQL | null): SQL {
  return sql`exists (
    select 1 from (select ${accountId}::text as account, ${type}::text as type, ${chainId}::text as chain_id) d
    join ${webhookEndpoints} p on ${isFor('notices')})`;
}

/**
 * A query of notices, for {@link noticeTables}.
 * @param condition On the rows `v`, which have the columns of drafts; the others are left out.
 */
export function noticeRows(drafts: readonly NoticeDraft[], condition: SQL = sql`true`): SQL {
  return sql`select v.* from ${valuesTable('v', draftShape, drafts.map(draftRow))} where ${condition}`;
}

/**
 * The statement that stores notices, for the SQL transaction of what they report.
 * @param condition As for {@link noticeRows}.
 */
export function insertNotices(
  db: Pick<SystemDb, 'sql'>,
  drafts: readonly NoticeDraft[],
  condition: SQL = sql`true`,
): Statement {
  return db.sql.execute(
    tagged('insert-notices', sql`with ${noticeTables(noticeRows(drafts, condition))} select endpoint_id from added`),
  );
}

/**
 * The statement, for a batch of endings, that stores their events with the exact body of every attempt. Events of
 * orders that the batch did not end are left out.
 */
export function insertEvents(db: SystemDb, batchId: string, drafts: readonly EventDraft[]): Statement {
  const rows = drafts.map((draft) => ({ ...draftRow(draft), kind: draft.kind }));
  const ended = sql`
    select v.* from ${valuesTable('v', { ...draftShape, kind: 'text' }, rows)}
    where exists (
      select 1 from ${orders} t where t.batch_id = ${batchId} and t.kind = v.kind and t.order_id = v.order_id)`;
  return db.sql.execute(tagged('insert-events', sql`with ${eventTables('ends', ended)} select endpoint_id from added`));
}

const insertReply = z.object({ rows: z.array(z.object({ endpoint_id: z.string() })) });

/** Parses the result of a statement that stores events: the endpoint of each delivery. */
export function endpointsOf(reply: unknown): string[] {
  return insertReply.parse(reply).rows.map(({ endpoint_id: endpointId }) => endpointId);
}

const overdueReply = z.object({ rows: z.array(z.object({ id: z.string() })) });

/**
 * The endpoints with an unfinished delivery that was due before `before`, so that its message may be lost: at most
 * `limit`, those that wait longest.
 */
export async function overdueEndpoints(db: SystemDb, before: Date, limit: number): Promise<string[]> {
  const reply = await db.sql.execute(
    tagged(
      'overdue-endpoints',
      sql`
        with recursive ${firstOfEachEndpoint}
        select webhook_endpoint_id as id from unfinished where next_attempt_at <= ${before.toISOString()}::timestamptz
        order by next_attempt_at limit ${limit}`,
    ),
  );
  return overdueReply.parse(reply).rows.map(({ id }) => id);
}
