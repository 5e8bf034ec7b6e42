import { sql, type SQL } from 'drizzle-orm';
import { undelivered, webhookDeliveries } from '../platform/database/schema.ts';

function firstDelivery(condition: SQL): SQL {
  return sql`
    select webhook_endpoint_id, next_attempt_at from ${webhookDeliveries} where status in ${undelivered} and ${condition}
    order by webhook_endpoint_id, next_attempt_at limit 1`;
}

/**
 * The recursive table `unfinished` with the unfinished delivery of each endpoint that is due first: it goes from
 * endpoint to endpoint by an index, however many deliveries wait.
 */
export const firstOfEachEndpoint = sql`
  unfinished as (
    (${firstDelivery(sql`true`)})
    union all
    select next.* from unfinished known cross join lateral (
      ${firstDelivery(sql`webhook_endpoint_id > known.webhook_endpoint_id`)}) next
  )`;
