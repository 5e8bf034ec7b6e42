import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../platform/database/vocabulary/delivery-status.ts';
import { idAt } from '../core/record-id.ts';
import { runBatch, type SystemDb } from '../platform/database/client.ts';
import {
  corporateAccounts,
  failing,
  webhookDeliveries,
  webhookEndpoints,
  webhookLogs,
} from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';

/** How many of the newest deliveries that failed or are retried are counted. */
export const MAX_COUNTED_FAILURES = 10_000;
/** Among how many of an endpoint's newest deliveries those that succeeded are counted. */
export const MAX_COUNTED_SUCCESSES = 1_000;

const endpointRows = z.object({
  rows: z.array(
    z.object({
      endpointId: z.string(),
      corporateId: z.string(),
      corporateName: z.string(),
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
      corporateName: z.string(),
      eventType: z.string(),
      orderId: z.string().nullable(),
      status: z.enum(DELIVERY_STATUSES),
      attempts: z.coerce.number(),
      responseStatusCode: z.number().nullable(),
      errorMessage: z.string().nullable(),
      updatedAt: z.coerce.date(),
    }),
  ),
});

/**
 * Endpoints whose deliveries since then fail, and the last of these deliveries. Only deliveries that fail are read, and
 * some of these endpoints'.
 */
export async function failingWebhooks(db: SystemDb, since: Date, limit: number) {
  const first = idAt(since.getTime());
  const { endpoints, deliveries } = await runBatch(db, {
    endpoints: db.sql.execute(
      tagged(
        'failing-endpoints',
        sql`
      select e.id as "endpointId", a.corporate_id as "corporateId", a.corporate_name as "corporateName", e.url, s.succeeded, c.failed, c.retrying
      from (
        select webhook_endpoint_id as id, count(*) filter (where status = 'FAILED') as failed, count(*) filter (where status = 'RETRYING') as retrying
        from (
          select webhook_endpoint_id, status from ${webhookDeliveries} where status in ${failing} and id >= ${first}
          order by id desc limit ${MAX_COUNTED_FAILURES}
        ) d group by webhook_endpoint_id order by count(*) desc limit ${limit}
      ) c join ${webhookEndpoints} e on e.id = c.id join ${corporateAccounts} a on a.id = e.corporate_account_id
      cross join lateral (
        select count(*) as succeeded from (
          select status from ${webhookDeliveries} where webhook_endpoint_id = e.id and id >= ${first}
          order by id desc limit ${MAX_COUNTED_SUCCESSES}
        ) d where status = 'SUCCESS'
      ) s order by c.failed + c.retrying desc`,
      ),
    ),
    deliveries: db.sql.execute(
      tagged(
        'failing-deliveries',
        sql`
      select d.id, d.webhook_endpoint_id as "endpointId", a.corporate_id as "corporateId", a.corporate_name as "corporateName",
        d.event_type as "eventType", d.related_order_id as "orderId", d.status, d.attempts, d.updated_at as "updatedAt",
        l.response_status_code as "responseStatusCode", l.error_message as "errorMessage"
      from ${webhookDeliveries} d join ${corporateAccounts} a on a.id = d.corporate_account_id
      left join lateral (
        select response_status_code, error_message from ${webhookLogs} where webhook_delivery_id = d.id order by attempt desc limit 1
      ) l on true
      where d.status in ${failing} and d.id >= ${first} order by d.id desc limit ${limit}`,
      ),
    ),
  });
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

/** The account of an endpoint: its `corporateId`; undefined if there is no such endpoint. */
export async function accountOfEndpoint(db: SystemDb, endpointId: string): Promise<string | undefined> {
  const [row] = await db.sql
    .select({ corporateId: corporateAccounts.corporateId })
    .from(webhookEndpoints)
    .innerJoin(corporateAccounts, sql`${corporateAccounts.id} = ${webhookEndpoints.corporateAccountId}`)
    .where(sql`${webhookEndpoints.id} = ${endpointId}`);
  return row?.corporateId;
}
