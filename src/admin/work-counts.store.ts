import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { SystemDb } from '../platform/database/client.ts';
import { literals, valuesTable } from '../platform/database/values.ts';
import {
  orders,
  underWay,
  unfinishedStates,
  webhookDeliveries,
  type OrderResourceName,
} from '../platform/database/schema.ts';
import { idAt } from '../core/record-id.ts';
import { DELIVERY_STATUSES, UNFINISHED_DELIVERY_STATUSES } from '../platform/database/vocabulary/delivery-status.ts';
import { ORDER_STATUSES, contractStatus, type OrderStatus } from '../platform/database/vocabulary/order-status.ts';
import type { OrderKinds } from '../engine/order-kind.ts';
import { tagged } from '../platform/database/tagged.ts';

/** Finished work is only counted among this many of a table's newest rows. */
const MAX_COUNTED_ROWS = 100_000;

/** Orders of one kind, contracts or events: the name in GET /status, and the states. */
export interface WorkTable {
  readonly label: string;
  /** Null: deliveries of events. */
  readonly resource: OrderResourceName | null;
  /** What the reply calls each status of its rows. */
  readonly names: Readonly<Record<string, string>>;
}

/** Counts deliveries: an event has one for each endpoint that gets it. */
export const EVENTS = 'webhookEvents';

/** What there is of orders of all kinds, and the deliveries of events. */
export function workTables(kinds: OrderKinds): WorkTable[] {
  const byLabel = new Map(
    [...kinds.values()].flatMap(({ resource }): [string, WorkTable][] => {
      if (resource === null) return [];
      const { id, label } = resource;
      const nameOf = id === 'contracts' ? contractStatus : (status: OrderStatus) => status;
      const names = Object.fromEntries(ORDER_STATUSES.map((status) => [status, nameOf(status)]));
      return [[label, { label, resource: id, names }]];
    }),
  );
  const names = Object.fromEntries(DELIVERY_STATUSES.map((status) => [status, status]));
  return [...byLabel.values(), { label: EVENTS, resource: null, names }];
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
const isAwaiting = sql`o.state = 'waiting' and o.approval_until is not null`;

/**
 * Counts work by state: all unfinished rows, by partial indexes that contain only those, and the finished rows accepted
 * since `since`, by time-ordered id.
 */
export async function countWork(db: SystemDb, tables: readonly WorkTable[], since: Date): Promise<WorkCount[]> {
  const firstId = idAt(since.getTime());
  const names = valuesTable(
    'n',
    { label: 'text', resource: 'text', status: 'text', name: 'text' },
    tables.flatMap(({ label, resource, names: own }) =>
      Object.entries(own).map(([status, name]) => ({ label, resource, status, name })),
    ),
  );
  const unfinishedDeliveries = literals(UNFINISHED_DELIVERY_STATUSES);
  const counts = sql`
    select n.label, n.name as status, count(*) as count, count(*) filter (where ${isAwaiting}) as awaiting,
      min(o.order_id) filter (where not (${isAwaiting})) as "oldestId"
    from ${orders} o join ${names} on n.resource = o.resource and n.status = o.status where o.state in ${unfinishedStates} group by 1, 2
    union all
    select n.label, n.name, count(*), 0, null from (
      select resource, status from ${orders} where id >= ${firstId} and resource is not null order by id desc limit ${MAX_COUNTED_ROWS}
    ) recent join ${names} on n.resource = recent.resource and n.status = recent.status where recent.status not in ${underWay} group by 1, 2
    union all
    select ${EVENTS}::text, status, count(*), 0, min(id) from ${webhookDeliveries} where status in ${unfinishedDeliveries} group by status
    union all
    select ${EVENTS}::text, status, count(*), 0, null from (
      select status from ${webhookDeliveries} where id >= ${firstId} order by id desc limit ${MAX_COUNTED_ROWS}
    ) recent where status not in ${unfinishedDeliveries} group by status`;
  return countsSchema.parse(await db.sql.execute(tagged('count-work', counts))).rows;
}
