import { inArray, lte, sql, and } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { z } from 'zod';
import type { Statement, SystemDb } from '../platform/database/client.ts';
import { valuesTable } from '../platform/database/values-table.ts';
import { transactions, webhookDeliveries, webhookEndpoints, webhookEvents } from '../platform/database/schema.ts';
import { newId } from '../core/ids.ts';
import { MAX_ATTEMPTS, payloadOf } from './event.ts';
import type { EventDraft } from './event.ts';
import type { NoticeDraft } from './notices.ts';
import { tagged } from '../platform/database/tagged.ts';

const draftShape = {
  id: 'text',
  account: 'text',
  type: 'text',
  order_id: 'text',
  payload: 'text',
  at: 'timestamptz',
} as const;

function draftRow({ type, accountId, orderId, at, data }: EventDraft | NoticeDraft) {
  return {
    id: newId(at.getTime()),
    account: accountId,
    type,
    order_id: orderId,
    payload: payloadOf({ type, at, data }),
    at: at.toISOString(),
  };
}

/** Of events `d`: the endpoints `p` that get them. Every endpoint that names no types gets the ends of orders. */
function isFor(what: 'ends' | 'notices'): SQL {
  const named = sql`d.type = any(p.event_types)`;
  const types = what === 'ends' ? sql`(p.event_types is null or ${named})` : named;
  return sql`p.corporate_account_id = d.account and p.status = 'ENABLED' and ${types}`;
}

/**
 * The common table expressions that store events with a delivery for each endpoint that gets them; `added` has the ids of the deliveries.
 * Every end is stored, and a notice where an endpoint asks for it.
 * @param drafts A query with the columns `id, account, type, order_id, payload, at`.
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
        related_order_id, attempt_limit, next_attempt_at, created_at, updated_at)
      select substr(d.id, 1, 12) || substr(md5(d.id || p.id), 1, 12), d.id, p.id, d.account, d.type, d.order_id,
        ${MAX_ATTEMPTS}::int, d.at, d.at, d.at
      from drafts d join ${webhookEndpoints} p on ${isFor(what)}
      returning id
    )`;
}

/**
 * The same for notices, as a part of a statement that knows what they are about.
 * @param drafts A query with the columns `id, account, type, order_id, payload, at`.
 */
export function noticeTables(drafts: SQL): SQL {
  return eventTables('notices', drafts);
}

/** The statement that writes notices, in the SQL transaction of what they are about. */
export function insertNotices(db: Pick<SystemDb, 'sql'>, drafts: readonly NoticeDraft[]): Statement {
  const rows = valuesTable('v', draftShape, drafts.map(draftRow));
  return db.sql.execute(
    tagged('insert-notices', sql`with ${noticeTables(sql`select v.* from ${rows}`)} select id from added`),
  );
}

/**
 * The statement of a batch of endings that writes their events: body and all, as every attempt will send it. Events of orders that the batch did not end
 * are not written.
 */
export function insertEvents(
  db: SystemDb,
  batchId: string,
  drafts: readonly (EventDraft & { readonly kind: string })[],
): Statement {
  const rows = drafts.map((draft) => ({ ...draftRow(draft), kind: draft.kind }));
  const ended = sql`
    select v.* from ${valuesTable('v', { ...draftShape, kind: 'text' }, rows)}
    where exists (
      select 1 from ${transactions} t where t.batch_id = ${batchId} and t.kind = v.kind and t.order_id = v.order_id)`;
  return db.sql.execute(tagged('insert-events', sql`with ${eventTables('ends', ended)} select id from added`));
}

const insertReply = z.object({ rows: z.array(z.object({ id: z.string() })) });

/** The ids of the deliveries of the events that a statement wrote, out of its reply. */
export function insertedDeliveries(reply: unknown): string[] {
  return insertReply.parse(reply).rows.map(({ id }) => id);
}

/**
 * Deliveries without an end whose next attempt was due before `before`: nobody is at work on them. Their time is set to `now` at least, so that
 * the next call begins with others.
 */
export async function overdueDeliveries(db: SystemDb, before: Date, limit: number, now: Date): Promise<string[]> {
  const due = db.sql
    .select({ id: webhookDeliveries.id })
    .from(webhookDeliveries)
    .where(
      and(inArray(webhookDeliveries.status, ['PENDING', 'RETRYING']), lte(webhookDeliveries.nextAttemptAt, before)),
    )
    .orderBy(webhookDeliveries.nextAttemptAt)
    .limit(limit);
  const rows = await db.sql
    .update(webhookDeliveries)
    .set({ nextAttemptAt: sql`greatest(${webhookDeliveries.nextAttemptAt}, ${now.toISOString()}::timestamptz)` })
    .where(inArray(webhookDeliveries.id, due))
    .returning({ id: webhookDeliveries.id });
  return rows.map(({ id }) => id);
}
