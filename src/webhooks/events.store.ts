import { and, inArray, lte, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Statement, SystemDb } from '../platform/database/client.ts';
import { valuesTable } from '../platform/database/values-table.ts';
import { transactions, undelivered, webhookEvents } from '../platform/database/schema.ts';
import { newId } from '../core/ids.ts';
import { tagged } from '../platform/database/tagged.ts';

/** An event before it is stored. */
interface EventDraft {
  /** An event type, such as `mint.confirmed`. */
  readonly type: string;
  /** The name of the order's kind. */
  readonly kind: string;
  readonly accountId: string;
  readonly orderId: string;
  readonly at: Date;
  /** The resource's response form at that time. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The statement, for a batch of endings, that stores their events with the exact body of every attempt. Events of orders that the batch did not end
 * are left out.
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

/** Parses the result of {@link insertEvents}: the ids of the stored events. */
export function insertedEventIds(reply: unknown): string[] {
  return insertReply.parse(reply).rows.map(({ id }) => id);
}

/**
 * Unfinished events whose next attempt was due before `before`, so that their message must be lost. Their due time is set to at least `now`,
 * so that the next call starts with others.
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
