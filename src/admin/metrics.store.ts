import { sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import type { HoldReason } from '../platform/database/vocabulary/order-status.ts';
import { idAt } from '../core/record-id.ts';
import type { Tally } from '../core/tally.ts';
import { LASTING_HOLDS } from '../engine/holds.ts';
import { BUNDLE } from '../engine/store/bundles.ts';
import { runBatch, type SystemDb } from '../platform/database/client.ts';
import { approvals, claims, lanes, orders, webhookDeliveries, webhookLogs } from '../platform/database/schema.ts';
import { tagged } from '../platform/database/tagged.ts';
import { selectTallies } from '../platform/database/tallies.ts';
import { literals, valuesTable } from '../platform/database/values.ts';
import { firstOfEachEndpoint } from '../webhooks/waiting-endpoints.store.ts';

/** Of the last so many minutes are the orders and deliveries whose times are told. */
export const RECENT_MINUTES = 15;
/** These minutes are divided into slices of so many seconds, so that a sample is of all of them. */
const SLICE_SECONDS = 30;
/** The most orders, and deliveries, of a slice: those that came first in it. */
const MAX_OF_SLICE = 100;
/** The most orders, and deliveries, whose times are told. */
export const MAX_SAMPLED = ((RECENT_MINUTES * 60) / SLICE_SECONDS) * MAX_OF_SLICE;
/** The most lanes, and endpoints, with work that are looked at. */
export const MAX_WITH_WORK = 1_000;
/** When work that is due and not done is overdue. The cleanup job looks for it every ten minutes. */
export const OVERDUE_MINUTES = 5;
/** When a delivery that is due and not attempted is late. */
export const LATE_SECONDS = 60;

/** The percentiles that are told. */
export const PERCENTILES = [50, 95, 99] as const;

/** An order that waits for one of these waits for its account or the operator, not for the service. */
const held = literals([...LASTING_HOLDS, 'paused'] satisfies HoldReason[]);

/** Seconds at each of {@link PERCENTILES}; null without anything that was measured. */
const percentiles = z.array(z.number()).nullable();

const orderRows = z.object({
  rows: z.array(
    z.object({ chainId: z.string(), orders: z.coerce.number(), toSigned: percentiles, toConfirmed: percentiles }),
  ),
});

const laneRows = z.object({
  rows: z.array(
    z.object({
      chainId: z.string(),
      state: z.string(),
      count: z.coerce.number(),
      overdue: z.coerce.number(),
      /** Seconds since the transaction that must be mined next was signed; null if none is signed. */
      oldestSigned: z.coerce.number().nullable(),
    }),
  ),
});

const webhookRows = z.object({
  rows: z.array(z.object({ lag: z.coerce.number(), late: z.coerce.number(), toAttempt: percentiles })),
});

/** What the database knows of how the service works now. */
export interface ServiceTimes {
  readonly orders: z.output<typeof orderRows>['rows'];
  readonly lanes: z.output<typeof laneRows>['rows'];
  readonly webhooks: z.output<typeof webhookRows>['rows'];
  readonly tallies: readonly Tally[];
}

/**
 * Reads all of it in one round trip, at a cost that does not grow with any table: a sample of recent rows by their ids,
 * and the first entries of each lane and of each endpoint with work.
 */
export async function readServiceTimes(db: SystemDb, now: Date): Promise<ServiceTimes> {
  const { times, ofLanes, webhooks, tallies } = await runBatch(db, {
    times: db.sql.execute(tagged('metrics-orders', ordersQuery(now))),
    ofLanes: db.sql.execute(tagged('metrics-lanes', lanesQuery(now))),
    webhooks: db.sql.execute(tagged('metrics-webhooks', webhooksQuery(now))),
    tallies: selectTallies(db),
  });
  return {
    orders: orderRows.parse(times).rows,
    lanes: laneRows.parse(ofLanes).rows,
    webhooks: webhookRows.parse(webhooks).rows,
    tallies,
  };
}

/** Slices of the recent minutes, as a table `s` with the first id of each and the one after its last. */
function slices(now: Date): SQL {
  const count = (RECENT_MINUTES * 60) / SLICE_SECONDS;
  const at = (index: number) => idAt(now.getTime() - index * SLICE_SECONDS * 1_000);
  const rows = Array.from({ length: count }, (_, index) => ({ first: at(index + 1), past: at(index) }));
  return valuesTable('s', { first: 'text', past: 'text' }, rows);
}

const shares = sql.raw(`array[${PERCENTILES.map((percentile) => percentile / 100).join(', ')}]`);

/** The {@link PERCENTILES} of the seconds between two times, of the rows of a group that meet a condition. */
function percentilesOf(from: SQL, to: SQL, condition: SQL): SQL {
  return sql`percentile_cont(${shares}) within group (order by extract(epoch from ${to} - ${from})::float8) filter (where ${condition})`;
}

/**
 * Where the end is still awaited, the time until now counts: the least that it will be. The time of a claim begins when
 * it is claimed, and that of an order that needed approval with the approval.
 */
function ordersQuery(now: Date): SQL {
  const at = sql`${now.toISOString()}::timestamptz`;
  const isAwaited = sql`o.state = 'waiting' and o.approval_until is null and coalesce(o.hold_reason not in ${held}, true)`;
  return sql`
    select o.chain_id as "chainId", count(*) as orders,
      ${percentilesOf(sql`o.began_at`, sql`coalesce(o.spent_at, ${at})`, sql`o.spent_at is not null or ${isAwaited}`)} as "toSigned",
      ${percentilesOf(sql`o.spent_at`, sql`coalesce(o.ended_at, ${at})`, sql`o.spent_at is not null and o.state in ('signed', 'confirmed')`)} as "toConfirmed"
    from ${slices(now)} cross join lateral (
      select chain_id, state, spent_at, hold_reason, approval_until,
        coalesce(
          (select claimed_at from ${claims} c where c.id = order_id), (select decided_at from ${approvals} a where a.id = order_id),
          created_at) as began_at,
        case when state = 'confirmed' then completed_at end as ended_at
      from ${orders} where id >= s.first and id < s.past and kind <> ${BUNDLE} order by id limit ${MAX_OF_SLICE}
    ) o group by o.chain_id order by o.chain_id`;
}

/**
 * A recursive table with the first transaction, among those that meet a condition, of each lane: it goes from lane to
 * lane by an index.
 */
function firstOfEachLane(name: SQL, columns: SQL, condition: SQL, order: SQL): SQL {
  const first = (more: SQL) => sql`
    select chain_id, wallet_address, ${columns} from ${orders} where ${condition} and ${more}
    order by chain_id, wallet_address, ${order} limit 1`;
  return sql`
    ${name} as (
      (${first(sql`true`)})
      union all
      select next.* from ${name} known cross join lateral (
        ${first(sql`(chain_id, wallet_address) > (known.chain_id, known.wallet_address)`)}) next
    )`;
}

/** Whatever waits in a lane, two of its transactions are read. */
function lanesQuery(now: Date): SQL {
  const at = sql`${now.toISOString()}::timestamptz`;
  const overdue = sql.raw(`interval '${OVERDUE_MINUTES} minutes'`);
  return sql`
    with recursive
    ${firstOfEachLane(sql`waiting`, sql`next_try_at`, sql`state = 'waiting'`, sql`next_try_at`)},
    ${firstOfEachLane(sql`signed`, sql`nonce, spent_at`, sql`state = 'signed' and bundle_id is null`, sql`nonce`)},
    work as (
      select chain_id, wallet_address, min(next_try_at) as due_at, min(spent_at) as signed_at from (
        select chain_id, wallet_address, next_try_at, null as spent_at from (select * from waiting limit ${MAX_WITH_WORK}) w
        union all
        select chain_id, wallet_address, null, spent_at from (select * from signed limit ${MAX_WITH_WORK}) s
      ) found group by chain_id, wallet_address
    )
    select work.chain_id as "chainId", coalesce(l.state, 'ok') as state, count(*) as count,
      count(*) filter (where least(due_at, signed_at) <= ${at} - ${overdue} and coalesce(l.driven_at <= ${at} - ${overdue}, true)) as overdue,
      extract(epoch from ${at} - min(signed_at)) as "oldestSigned"
    from work left join lateral (
      select state, driven_at from ${lanes} where chain_id = work.chain_id and wallet_address = work.wallet_address limit 1
    ) l on true group by 1, 2 order by 1, 2`;
}

/**
 * Goes from endpoint to endpoint. The time until an attempt is that of the first one: later ones wait because the
 * receiver has failed.
 */
function webhooksQuery(now: Date): SQL {
  const at = sql`${now.toISOString()}::timestamptz`;
  return sql`
    with recursive ${firstOfEachEndpoint},
    due as (
      select coalesce(max(extract(epoch from ${at} - next_attempt_at)), 0) as lag,
        count(*) filter (where next_attempt_at < ${at} - ${sql.raw(`interval '${LATE_SECONDS} seconds'`)}) as late
      from (select * from unfinished limit ${MAX_WITH_WORK}) u where next_attempt_at <= ${at}
    ),
    attempts as (
      select ${percentilesOf(sql`d.created_at`, sql`coalesce(l.created_at, ${at})`, sql`true`)} as to_attempt
      from ${slices(now)} cross join lateral (
        select id, created_at from ${webhookDeliveries} where id >= s.first and id < s.past and status <> 'SKIPPED' order by id limit ${MAX_OF_SLICE}
      ) d left join lateral (
        select created_at from ${webhookLogs} where webhook_delivery_id = d.id and attempt = 1 limit 1
      ) l on true
    )
    select due.lag, due.late, attempts.to_attempt as "toAttempt" from due, attempts`;
}
