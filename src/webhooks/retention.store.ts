import { and, inArray, lt, ne, sql } from 'drizzle-orm';
import { idAt } from '../core/ids.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { undelivered, webhookEvents, webhookLogs } from '../platform/database/schema.ts';

/*
 * What the cleanup job does with old events and the log of their deliveries. Ids start with their time, so age is a range of the
 * primary key. Each statement changes at most `limit` rows, the oldest first, and returns how many.
 */

/** Empties the bodies in log rows that were made before `before`. */
export async function emptyOldBodies(db: SystemDb, before: Date, limit: number): Promise<number> {
  const old = db.sql
    .select({ id: webhookLogs.id })
    .from(webhookLogs)
    .where(and(ne(webhookLogs.payloadSent, ''), lt(webhookLogs.id, idAt(before.getTime()))))
    .orderBy(webhookLogs.id)
    .limit(limit);
  const { rowCount } = await db.sql.update(webhookLogs).set({ payloadSent: '' }).where(inArray(webhookLogs.id, old));
  return rowCount;
}

/** Deletes log rows that were made before `before`. */
export async function removeOldLogs(db: SystemDb, before: Date, limit: number): Promise<number> {
  const old = db.sql
    .select({ id: webhookLogs.id })
    .from(webhookLogs)
    .where(lt(webhookLogs.id, idAt(before.getTime())))
    .orderBy(webhookLogs.id)
    .limit(limit);
  const { rowCount } = await db.sql.delete(webhookLogs).where(inArray(webhookLogs.id, old));
  return rowCount;
}

/** Deletes events that happened before `before` and get no further attempt, with their log rows. */
export async function removeOldEvents(db: SystemDb, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.sql.execute(sql`
    with old as (
      select id from ${webhookEvents}
      where id < ${idAt(before.getTime())} and status not in ${undelivered}
      order by id limit ${limit}
    ), logs as (
      delete from ${webhookLogs} where webhook_event_id in (select id from old)
    )
    delete from ${webhookEvents} where id in (select id from old)`);
  return rowCount ?? 0;
}
