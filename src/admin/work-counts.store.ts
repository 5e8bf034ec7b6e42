import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { SystemDb, TableWith } from '../platform/database/client.ts';
import { literals, valuesTable } from '../platform/database/values.ts';
import { transactions, underWay, webhookDeliveries, type OrderResourceName } from '../platform/database/schema.ts';
import { idAt } from '../core/record-id.ts';
import { DELIVERY_STATUSES, UNFINISHED_DELIVERY_STATUSES } from '../core/delivery-status.ts';
import { UNFINISHED_STAGES } from '../core/order-status.ts';
import { statusesOf, type OrderKinds } from '../engine/order-kind.ts';
import { tagged } from '../platform/database/tagged.ts';

/** Finished work is only counted among this many of a table's newest rows. */
const MAX_COUNTED_ROWS = 100_000;

/** Orders of one kind, contracts or events: the name in GET /status, and the states. */
export interface WorkTable {
  readonly label: string;
  /** Where they are, unless they are rows of the ledger. */
  readonly table: TableWith<'id'> | null;
  readonly resource: OrderResourceName | null;
  readonly statuses: readonly string[];
  readonly unfinished: readonly string[];
}

/** Counts deliveries: an event has one for each endpoint that gets it. */
export const EVENTS = 'webhookEvents';

/** The distinct tables of all order kinds, and the deliveries of events. */
export function workTables(kinds: OrderKinds): WorkTable[] {
  const tables = [...kinds.values()].flatMap(({ orders }) => (orders === null ? [] : [orders]));
  const byLabel = new Map(
    tables.map((orders): [string, WorkTable] => {
      const statuses = statusesOf(orders);
      const unfinished = [...new Set(UNFINISHED_STAGES.map((stage) => statuses[stage]))];
      const table = orders.resource === null ? orders.table : null;
      const { label, resource } = orders;
      return [label, { label, table, resource, statuses: [...new Set(Object.values(statuses))], unfinished }];
    }),
  );
  const deliveries = { statuses: DELIVERY_STATUSES, unfinished: UNFINISHED_DELIVERY_STATUSES };
  return [...byLabel.values(), { label: EVENTS, table: webhookDeliveries, resource: null, ...deliveries }];
}

/** The number of rows of a table in a state. */
export interface WorkCount {
  /** The table's label. */
  readonly label: string;
  readonly status: string;
  readonly count: number;
  /** How many of them wait for somebody outside of the service. */
  readonly awaiting: number;
  /** Id of the oldest row that waits for nobody outside of the service; null if there is none, and for final states. */
  readonly oldestId: string | null;
}

const countsSchema = z.object({
  rows: z.array(
    z.object({
      label: z.string(),
      status: z.string(),
      count: z.coerce.number(),
      awaiting: z.coerce.number(),
      oldestId: z.string().nullable(),
    }),
  ),
});

/** A condition on the ledger: it waits for a second person's approval, or for the holder of a claim's link. */
const isAwaiting = sql`state = 'waiting' and approval_until is not null`;
const awaiting = sql`select order_id from ${transactions} where ${isAwaiting}`;

/**
 * Counts work by state: all unfinished rows, by partial indexes that contain only those, and the finished rows accepted
 * since `since`, by time-ordered id.
 */
export async function countWork(db: SystemDb, tables: readonly WorkTable[], since: Date): Promise<WorkCount[]> {
  const firstId = idAt(since.getTime());
  const names = valuesTable(
    'n',
    { label: 'text', resource: 'text' },
    tables.map(({ label, resource }) => ({ label, resource })),
  );
  const ofLedger = [
    sql`select n.label, o.status, count(*) as count, count(*) filter (where ${isAwaiting}) as awaiting,
        min(o.id) filter (where not (${isAwaiting})) as "oldestId"
      from ${transactions} o join ${names} on n.resource = o.resource where o.status in ${underWay} group by 1, 2`,
    sql`select n.label, recent.status, count(*), 0, null from (
        select resource, status from ${transactions} where id >= ${firstId} and resource is not null order by id desc limit ${MAX_COUNTED_ROWS}
      ) recent join ${names} on n.resource = recent.resource where recent.status not in ${underWay} group by 1, 2`,
  ];
  const ofTables = tables.flatMap(({ label, table, unfinished }) => {
    if (table === null) return [];
    const states = literals(unfinished);
    return [
      sql`select ${label}::text as label, o.status, count(*) as count,
          count(awaiting.order_id) as awaiting, min(o.id) filter (where awaiting.order_id is null) as "oldestId"
        from ${table} o left join (${awaiting}) awaiting on awaiting.order_id = o.id
        where o.status in ${states} group by o.status`,
      sql`select ${label}::text, status, count(*), 0, null from (
          select status from ${table} where id >= ${firstId} order by id desc limit ${MAX_COUNTED_ROWS}
        ) recent where status not in ${states} group by status`,
    ];
  });
  return countsSchema.parse(
    await db.sql.execute(tagged('count-work', sql.join([...ofLedger, ...ofTables], sql` union all `))),
  ).rows;
}
