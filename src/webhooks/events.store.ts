import { and, inArray, lte, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Statement, SystemDb } from '../platform/database/client.ts';
import { valuesTable } from '../platform/database/values-table.ts';
import { transactions, undelivered, webhookEvents } from '../platform/database/schema.ts';
import { newId } from '../core/ids.ts';
import { tagged } from '../platform/database/tagged.ts';

/** An event as the ending that made it happen states it. */
interface EventDraft {
  /** Of the event, as in `mint.confirmed`. */
  readonly type: string;
  /** Of the order, by its name. */
  readonly kind: string;
  readonly accountId: string;
  readonly orderId: string;
  readonly at: Date;
  /** The resource's response form at that moment; frozen here. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The statement of a batch of endings that writes their events: body and all, as every attempt will send it. Events of orders that the batch did not end
 * are not written.
 */
export function insertEvents(db: SystemDb, batchId: string, drafts: readonly EventDraft[]): Statement {
  const rows = drafts.map(({ kind, type, accountId, orderId, at, data }) => ({
    id: newId(at.getTime()),
    account: accountId,
    type,
    kind,
    order_id: orderId,
    payload: JSON.stringify({ type, timestamp: at.toISOString(), data }),
    at: at.toISOString(),
  }));
  const shape = {
    id: 'text',
    account: 'text',
    type: 'text',
    kind: 'text',
    order_id: 'text',
    payload: 'text',
    at: 'timestamptz',
  } as const;
  return db.sql.execute(
    tagged(
      'insert-events',
      sql`
    insert into ${webhookEvents} (id, corporate_account_id, type, related_order_id, payload, next_attempt_at, created_at, updated_at)
    select v.id, v.account, v.type, v.order_id, v.payload, v.at, v.at, v.at from ${valuesTable('v', shape, rows)}
    where exists (
      select 1 from ${transactions} t where t.batch_id = ${batchId} and t.kind = v.kind and t.order_id = v.order_id)
    returning id`,
    ),
  );
}

const insertReply = z.object({ rows: z.array(z.object({ id: z.string() })) });

/** The ids of the events that {@link insertEvents} wrote, out of its reply. */
export function insertedEventIds(reply: unknown): string[] {
  return insertReply.parse(reply).rows.map(({ id }) => id);
}

/**
 * Events without an end whose next attempt was due before `before`: nobody is at work on them. Their time is set to `now` at least, so that
 * the next call begins with others.
 */
export async function overdueEvents(db: SystemDb, before: Date, limit: number, now: Date): Promise<string[]> {
  const due = db.sql
    .select({ id: webhookEvents.id })
    .from(webhookEvents)
    .where(and(sql`${webhookEvents.status} in ${undelivered}`, lte(webhookEvents.nextAttemptAt, before)))
    .orderBy(webhookEvents.nextAttemptAt)
    .limit(limit);
  const rows = await db.sql
    .update(webhookEvents)
    .set({ nextAttemptAt: sql`greatest(${webhookEvents.nextAttemptAt}, ${now.toISOString()}::timestamptz)` })
    .where(inArray(webhookEvents.id, due))
    .returning({ id: webhookEvents.id });
  return rows.map(({ id }) => id);
}
