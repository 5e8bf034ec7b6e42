import { and, lt, ne, sql, type SQL, type SQLWrapper } from 'drizzle-orm';
import { idAt } from '../core/record-id.ts';
import type { Column, SystemDb } from '../platform/database/client.ts';
import { undelivered, webhookDeliveries, webhookEvents, webhookLogs } from '../platform/database/schema.ts';

/*
 * What the cleanup job does with old events and the log of their deliveries. Ids start with their time, so age is a
 * range of the primary key. Each statement changes at most `limit` rows, the oldest first, and returns how many.
 */

/** Empties the bodies in log rows that were made before `before`. */
export async function emptyOldBodies(db: SystemDb, before: Date, limit: number): Promise<number> {
  const old = db.sql
    .select({ id: webhookLogs.id })
    .from(webhookLogs)
    .where(and(ne(webhookLogs.payloadSent, ''), lt(webhookLogs.id, idAt(before.getTime()))))
    .orderBy(webhookLogs.id)
    .limit(limit);
  const { rowCount } = await db.sql.update(webhookLogs).set({ payloadSent: '' }).where(isAmong(webhookLogs.id, old));
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
  const { rowCount } = await db.sql.delete(webhookLogs).where(isAmong(webhookLogs.id, old));
  return rowCount;
}

/**
 * Deletes events that happened before `before`, with their deliveries and log rows, if no delivery gets a further
 * attempt. The deliveries are locked and read again, because they may be replayed meanwhile.
 */
export async function removeOldEvents(db: SystemDb, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.sql.execute(sql`
    with old as materialized (
      select e.id from ${webhookEvents} e
      where e.id < ${idAt(before.getTime())} and not exists (
        select 1 from ${webhookDeliveries} d where d.webhook_event_id = e.id and d.status in ${undelivered}
      )
      order by e.id limit ${limit}
    ), locked as materialized (
      select id, webhook_event_id, status from ${webhookDeliveries}
      where webhook_event_id = any(array(select id from old)) order by id for update
    ), gone as materialized (
      select id from old
      where not exists (select 1 from locked l where l.webhook_event_id = old.id and l.status in ${undelivered})
    ), logs as (
      delete from ${webhookLogs} where webhook_delivery_id = any(array(
        select l.id from locked l where l.webhook_event_id in (select id from gone)))
    ), deliveries as (
      delete from ${webhookDeliveries} where webhook_event_id = any(array(select id from gone))
    )
    delete from ${webhookEvents} where id = any(array(select id from gone))`);
  return rowCount ?? 0;
}

/**
 * Whether an id is among those that a query returns. From an array, the planner finds the rows by their index; it may
 * join a subquery by scanning the table.
 */
function isAmong(id: Column, ids: SQLWrapper): SQL {
  return sql`${id} = any(array(${ids}))`;
}
