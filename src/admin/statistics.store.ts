import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { idAt } from '../core/record-id.ts';
import { BUNDLE } from '../engine/store/bundles.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { approvals, claims, orders } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';

/** The newest orders that are counted. */
export const MAX_COUNTED_ORDERS = 100_000;

const hourRows = z.object({
  rows: z.array(
    z.object({
      hour: z.coerce.date(),
      /** Null in the row that covers all chains. */
      chainId: z.string().nullable(),
      accepted: z.coerce.number(),
      confirmed: z.coerce.number(),
      failed: z.coerce.number(),
      cancelled: z.coerce.number(),
      awaiting: z.coerce.number(),
      fees: z.string().nullable(),
      medianSeconds: z.coerce.number().nullable(),
      p95Seconds: z.coerce.number().nullable(),
    }),
  ),
});

export type HourOfOrders = z.output<typeof hourRows>['rows'][number];

/**
 * Orders accepted since then, by hour, and by hour and chain. They are read by their time-ordered ids, at most
 * {@link MAX_COUNTED_ORDERS}. An order that waits for somebody outside of the service, and has not ended, is `awaiting`;
 * its time to the end begins with that person's decision.
 */
export async function ordersByHour(db: SystemDb, since: Date): Promise<HourOfOrders[]> {
  const firstId = idAt(since.getTime());
  const accepted = sql`
    select order_id as id, chain_id, created_at, completed_at, total_fee_native, state from ${orders}
    where id >= ${firstId} and kind <> ${BUNDLE} order by id desc limit ${MAX_COUNTED_ORDERS}`;
  const took = sql`extract(epoch from completed_at - began_at)`;
  const reply = await db.sql.execute(
    tagged(
      'orders-by-hour',
      sql`
      select date_trunc('hour', created_at) as hour, chain_id as "chainId", count(*) as accepted,
        count(*) filter (where state = 'confirmed') as confirmed, count(*) filter (where state = 'failed') as failed,
        count(*) filter (where state = 'cancelled') as cancelled,
        count(*) filter (where began_at is null and completed_at is null) as awaiting, sum(total_fee_native)::text as fees,
        percentile_cont(0.5) within group (order by ${took}) filter (where state = 'confirmed') as "medianSeconds",
        percentile_cont(0.95) within group (order by ${took}) filter (where state = 'confirmed') as "p95Seconds"
      from (
        select o.*, case when c.id is not null then c.claimed_at when a.id is not null then a.decided_at else o.created_at end as began_at
        from (${accepted}) o
        left join (select id, claimed_at from ${claims} where id >= ${firstId}) c on c.id = o.id
        left join (select id, decided_at from ${approvals} where id >= ${firstId}) a on a.id = o.id
      ) o
      group by grouping sets ((date_trunc('hour', created_at)), (date_trunc('hour', created_at), chain_id)) order by 1`,
    ),
  );
  return hourRows.parse(reply).rows;
}
