import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../core/delivery-status.ts';
import { idAt } from '../core/ids.ts';
import type { SystemDb } from '../platform/database/client.ts';
import { corporateAccounts, webhookDeliveries, webhookEndpoints } from '../platform/database/schema.ts';

/** The newest deliveries that are counted. */
export const MAX_COUNTED_DELIVERIES = 100_000;

const endpointRows = z.object({
  rows: z.array(
    z.object({
      endpointId: z.string(),
      corporateId: z.string(),
      url: z.string().nullable(),
      succeeded: z.coerce.number(),
      failed: z.coerce.number(),
      retrying: z.coerce.number(),
    }),
  ),
});

const deliveryRows = z.object({
  rows: z.array(
    z.object({
      id: z.string(),
      endpointId: z.string(),
      corporateId: z.string(),
      eventType: z.string(),
      orderId: z.string().nullable(),
      status: z.enum(DELIVERY_STATUSES),
      attempts: z.coerce.number(),
      updatedAt: z.coerce.date(),
    }),
  ),
});

/** Endpoints whose deliveries fail, of the newest deliveries since then, and the last of these deliveries. */
export async function failingWebhooks(db: SystemDb, since: Date, limit: number) {
  const recent = sql`(select * from ${webhookDeliveries} where id >= ${idAt(since.getTime())}
    order by id desc limit ${MAX_COUNTED_DELIVERIES}) d`;
  const [endpoints, deliveries] = await db.sql.batch([
    db.sql.execute(sql`
      select e.id as "endpointId", a.corporate_id as "corporateId", e.url, c.succeeded, c.failed, c.retrying
      from (
        select webhook_endpoint_id as id, count(*) filter (where status = 'SUCCESS') as succeeded,
          count(*) filter (where status = 'FAILED') as failed, count(*) filter (where status = 'RETRYING') as retrying
        from ${recent} group by webhook_endpoint_id
      ) c join ${webhookEndpoints} e on e.id = c.id join ${corporateAccounts} a on a.id = e.corporate_account_id
      where c.failed + c.retrying > 0 order by c.failed + c.retrying desc limit ${limit}`),
    db.sql.execute(sql`
      select d.id, d.webhook_endpoint_id as "endpointId", a.corporate_id as "corporateId", d.event_type as "eventType",
        d.related_order_id as "orderId", d.status, d.attempts, d.updated_at as "updatedAt"
      from ${recent} join ${corporateAccounts} a on a.id = d.corporate_account_id
      where d.status in ('FAILED', 'RETRYING') order by d.id desc limit ${limit}`),
  ]);
  return { endpoints: endpointRows.parse(endpoints).rows, deliveries: deliveryRows.parse(deliveries).rows };
}

/** The account of a delivery: its `corporateId`; undefined if there is no such delivery. */
export async function accountOfDelivery(db: SystemDb, deliveryId: string): Promise<string | undefined> {
  const [row] = await db.sql
    .select({ corporateId: corporateAccounts.corporateId })
    .from(webhookDeliveries)
    .innerJoin(corporateAccounts, sql`${corporateAccounts.id} = ${webhookDeliveries.corporateAccountId}`)
    .where(sql`${webhookDeliveries.id} = ${deliveryId}`);
  return row?.corporateId;
}
