import { eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import { runBatch, type SystemDb } from '../platform/database/client.ts';
import { ORDER_COLUMNS } from '../engine/order-row.store.ts';
import type { MintingOrder } from '../orders/mint/minting-orders.store.ts';
import { corporateAccounts, ofResource, orderUpdatedAt, orders, webhookLogs } from '../platform/database/schema.ts';
import { mintingOrders } from '../orders/order-forms.ts';

const keysSchema = z.object({
  rows: z.array(z.object({ type: z.enum(['minting_order', 'webhook_log']), id: z.string() })),
});

/** An item of activity and its account. */
export type Activity = { readonly corporateId: string } & (
  | { readonly type: 'minting_order'; readonly order: MintingOrder }
  | { readonly type: 'webhook_log'; readonly log: typeof webhookLogs.$inferSelect }
);

const updatedAtOf = (activity: Activity) =>
  (activity.type === 'minting_order' ? activity.order : activity.log).updatedAt;

/**
 * The most recently updated minting orders and webhook logs, merged, newest first. Each table's newest rows are read by
 * index, so the cost grows with `offset` and not with the tables.
 */
export async function newestActivity(db: SystemDb, offset: number, limit: number): Promise<Activity[]> {
  const depth = offset + limit;
  const reply = await db.sql.execute(sql`
    select type, id from (
      (select 'minting_order' as type, id, ${orderUpdatedAt} as updated_at from ${orders}
        where ${ofResource('minting-orders')} order by updated_at desc, id desc limit ${depth})
      union all
      (select 'webhook_log', id, updated_at from ${webhookLogs} order by updated_at desc, id desc limit ${depth})
    ) newest order by updated_at desc, id desc offset ${offset} limit ${limit}`);
  const keys = keysSchema.parse(reply).rows;
  const idsOf = (type: string) => keys.filter((key) => key.type === type).map(({ id }) => id);
  const { corporateId } = corporateAccounts;
  const { mints, logs } = await runBatch(db, {
    mints: db.sql
      .select({ row: ORDER_COLUMNS, corporateId })
      .from(orders)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, orders.corporateAccountId))
      .where(inArray(orders.id, idsOf('minting_order'))),
    logs: db.sql
      .select({ log: webhookLogs, corporateId })
      .from(webhookLogs)
      .innerJoin(corporateAccounts, eq(corporateAccounts.id, webhookLogs.corporateAccountId))
      .where(inArray(webhookLogs.id, idsOf('webhook_log'))),
  });
  const found = new Map<string, Activity>([
    ...mints.map(
      ({ row, corporateId: of }) =>
        [row.id, { type: 'minting_order', order: mintingOrders.fromRow(row), corporateId: of }] as const,
    ),
    ...logs.map((row) => [row.log.id, { type: 'webhook_log', ...row }] as const),
  ]);
  // A row that has changed since its key was read is sorted by what is returned of it.
  return keys
    .flatMap(({ id }) => found.get(id) ?? [])
    .toSorted((one, other) => updatedAtOf(other).getTime() - updatedAtOf(one).getTime());
}
