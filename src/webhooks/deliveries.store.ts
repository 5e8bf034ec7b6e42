import { and, desc, eq, getTableColumns, inArray, isNull, or, sql, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { CHAINS } from '../chains/list.ts';
import type { AttemptStatus, DeliveryStatus } from '../platform/database/vocabulary/delivery-status.ts';
import { idAt } from '../core/record-id.ts';
import type { PageRange } from '../core/paging.ts';
import { runBatch, type Rows, type TenantDb, type ResultsOf } from '../platform/database/client.ts';
import { ofAccount, searchPage, type SearchedRows } from '../platform/database/page-scope.ts';
import { runChange } from '../platform/database/record-change.ts';
import {
  undelivered,
  webhookDeliveries,
  webhookEndpoints,
  webhookEvents,
  webhookLogs,
} from '../platform/database/schema.ts';
import type { Endpoint } from './endpoints.store.ts';
import { lockAccount } from '../accounts/accounts.store.ts';
import { MAX_ATTEMPTS } from './event.ts';

/** The most attempts shown of a delivery, the last ones; replays add attempts. */
const MAX_SHOWN_ATTEMPTS = 20;

/** An attempt that has ended. */
interface ShownAttempt {
  readonly number: number;
  readonly status: AttemptStatus;
  readonly responseStatusCode: number | null;
  readonly errorMessage: string | null;
  /** ISO 8601: when it ended. */
  readonly at: string;
}

export type Delivery = typeof webhookDeliveries.$inferSelect & {
  readonly log: readonly ShownAttempt[];
  /** The kind of chains whose events its endpoint gets; null: both. */
  readonly endpointChainKind: Endpoint['chainKind'];
};

const columns = {
  ...getTableColumns(webhookDeliveries),
  endpointChainKind: sql<Endpoint['chainKind']>`(
    select p.chain_kind from ${webhookEndpoints} p where p.id = webhook_deliveries.webhook_endpoint_id)`,
  // The id has its table's name, which the query builder omits in a subquery.
  log: sql<ShownAttempt[]>`(
    select coalesce(json_agg(json_build_object('number', l.attempt, 'status', l.status, 'responseStatusCode', l.response_status_code,
      'errorMessage', l.error_message, 'at', to_char(l.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by l.attempt), '[]')
    from (select * from ${webhookLogs} where webhook_delivery_id = webhook_deliveries.id
      order by attempt desc limit ${MAX_SHOWN_ATTEMPTS}) l)`,
};

/** Deliveries about chains that the caller may see, or about no chain, to endpoints that the caller may see. */
function isVisibleTo({ chainIds }: TenantDb) {
  if (chainIds === undefined) return undefined;
  const { chainId, webhookEndpointId } = webhookDeliveries;
  return and(
    or(isNull(chainId), inArray(chainId, [...chainIds])),
    sql`exists (
      select 1 from ${webhookEndpoints} p
      where p.id = ${webhookEndpointId} and coalesce(p.chain_kind in ${kindsOf(chainIds)}, true))`,
  );
}

function kindsOf(chainIds: readonly string[]) {
  return CHAINS.filter(({ id }) => chainIds.includes(id)).map(({ kind }) => kind);
}

function own(db: TenantDb, id: string) {
  return and(eq(webhookDeliveries.corporateAccountId, db.accountId), eq(webhookDeliveries.id, id));
}

/** Restricts a list of deliveries. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined;
  readonly eventType?: string | undefined;
  readonly eventId?: string | undefined;
  readonly orderId?: string | undefined;
  readonly endpointId?: string | undefined;
}

/** A page of the account's deliveries, newest first; each filter has an index. */
export function listDeliveries(
  db: TenantDb,
  { status, eventType, eventId, orderId, endpointId }: DeliveryFilter,
  page: PageRange,
): Promise<SearchedRows<Delivery>> {
  const records = and(
    ofAccount(webhookDeliveries, db, page),
    status === undefined ? undefined : eq(webhookDeliveries.status, status),
    eventType === undefined ? undefined : eq(webhookDeliveries.eventType, eventType),
    eventId === undefined ? undefined : eq(webhookDeliveries.webhookEventId, eventId),
    orderId === undefined ? undefined : eq(webhookDeliveries.relatedOrderId, orderId),
    endpointId === undefined ? undefined : eq(webhookDeliveries.webhookEndpointId, endpointId),
  );
  const filter = isVisibleTo(db);
  return searchPage(db, webhookDeliveries, { records, filter }, page, (newest) =>
    db.sql.select(columns).from(newest).where(filter).orderBy(desc(webhookDeliveries.id)).limit(page.take),
  );
}

/** A delivery with the body of its event. */
export type WholeDelivery = Delivery & { readonly payload: string };

/** The statement that reads a delivery. */
export function findDelivery(db: TenantDb, id: string): Rows<WholeDelivery> {
  return db.sql
    .select({ ...columns, payload: webhookEvents.payload })
    .from(webhookDeliveries)
    .innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.webhookEventId))
    .where(own(db, id));
}

/** An event for one endpoint, and its delivery. */
export interface NewTest {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly type: string;
  readonly payload: string;
}

/**
 * Stores an event for one endpoint with its delivery; what an earlier attempt stored is left unchanged.
 * @returns the delivery.
 */
export async function insertTest(db: TenantDb, test: NewTest, now: Date): Promise<readonly WholeDelivery[]> {
  const { eventId, deliveryId, endpointId, type, payload } = test;
  const common = { corporateAccountId: db.accountId, createdAt: now, updatedAt: now };
  const statements = {
    event: db.sql
      .insert(webhookEvents)
      .values({ ...common, id: eventId, type, payload })
      .onConflictDoNothing(),
    delivery: db.sql
      .insert(webhookDeliveries)
      .values({
        ...common,
        id: deliveryId,
        webhookEventId: eventId,
        webhookEndpointId: endpointId,
        eventType: type,
        attemptLimit: MAX_ATTEMPTS,
        nextAttemptAt: now,
      })
      .onConflictDoNothing(),
    found: findDelivery(db, deliveryId),
  };
  const { found } = await runChange(db, statements, sql`select ${deliveryId} as id`);
  return found;
}

/** What a replay stores: as many attempts as a new delivery has, the first of them now. */
const replayed = (replayId: string, now: Date) => ({
  status: 'PENDING' as const,
  attemptLimit: sql`${webhookDeliveries.attempts} + ${MAX_ATTEMPTS}::int`,
  nextAttemptAt: now,
  replayId,
  updatedAt: now,
});

/**
 * Makes a delivery that has ended again, if its endpoint is enabled and the caller may see its chain.
 * @returns the delivery after that, and whether this replay made it again; undefined if the account has no such
 *   delivery.
 */
export async function replayDelivery(
  db: TenantDb,
  id: string,
  replayId: string,
  now: Date,
): Promise<{ readonly delivery: Delivery; readonly isReplayed: boolean } | undefined> {
  const isEnabled = sql`exists (
    select 1 from ${webhookEndpoints} p where p.id = ${webhookDeliveries.webhookEndpointId} and p.status = 'ENABLED')`;
  const statements = {
    replay: db.sql
      .update(webhookDeliveries)
      .set(replayed(replayId, now))
      .where(
        and(
          own(db, id),
          isVisibleTo(db),
          inArray(webhookDeliveries.status, ['SUCCESS', 'FAILED', 'SKIPPED']),
          isEnabled,
        ),
      ),
    found: db.sql.select(columns).from(webhookDeliveries).where(own(db, id)),
  };
  const changed = and(own(db, id), eq(webhookDeliveries.replayId, replayId));
  const { found } = await runChange(db, statements, sql`select id from ${webhookDeliveries} where ${changed}`);
  const [delivery] = found;
  return delivery && { delivery, isReplayed: delivery.replayId === replayId };
}

/** The failed deliveries to replay. */
export interface FailedFilter {
  /** Of events that happened then or later. */
  readonly since: Date;
  readonly endpointId?: string | undefined;
}

const moreReply = z.object({ rows: z.tuple([z.object({ more: z.boolean() })]) });

/** The result of a replay. */
interface Replay {
  /** The endpoint of each delivery that this replay has made again. */
  readonly endpointIds: readonly string[];
  /** Whether more are left. */
  readonly hasMore: boolean;
}

/**
 * Makes FAILED deliveries to enabled endpoints again, about chains that the caller may see, oldest first, while the
 * account has fewer than `maxUnfinished` unfinished deliveries.
 */
export async function replayFailed(
  db: TenantDb,
  filter: FailedFilter,
  replayId: string,
  maxUnfinished: number,
  now: Date,
): Promise<Replay> {
  const statements = {
    lock: lockAccount(db),
    replay: db.sql
      .update(webhookDeliveries)
      .set(replayed(replayId, now))
      .where(
        sql`${webhookDeliveries.id} in (${failed(db, filter, replayId)} order by d.id limit greatest(0, ${maxUnfinished}::int - (
          select count(*)::int from ${webhookDeliveries} u
          where u.corporate_account_id = ${db.accountId} and u.status in ${undelivered})))`,
      ),
    replayed: selectReplay(db, filter, replayId),
  };
  const changed = sql`select id from ${webhookDeliveries} where ${isReplayedBy(db, replayId)}`;
  return replayOf((await runChange(db, statements, changed)).replayed);
}

/** The result of {@link replayFailed}, without deliveries that a later replay has repeated. */
export async function readReplay(db: TenantDb, filter: FailedFilter, replayId: string): Promise<Replay> {
  return replayOf(await runBatch(db, selectReplay(db, filter, replayId)));
}

function replayOf({ deliveries, more }: ResultsOf<ReturnType<typeof selectReplay>>): Replay {
  return { endpointIds: deliveries.map(({ endpointId }) => endpointId), hasMore: moreReply.parse(more).rows[0].more };
}

function selectReplay(db: TenantDb, filter: FailedFilter, replayId: string) {
  return {
    deliveries: db.sql
      .select({ endpointId: webhookDeliveries.webhookEndpointId })
      .from(webhookDeliveries)
      .where(isReplayedBy(db, replayId)),
    more: db.sql.execute(sql`select exists (${failed(db, filter, replayId)}) as more`),
  };
}

function isReplayedBy(db: TenantDb, replayId: string) {
  return and(eq(webhookDeliveries.corporateAccountId, db.accountId), eq(webhookDeliveries.replayId, replayId));
}

/** The ids of the FAILED deliveries that this replay has not made again. */
function failed(db: TenantDb, { since, endpointId }: FailedFilter, replayId: string): SQL {
  const { chainIds } = db;
  const isVisible =
    chainIds === undefined
      ? sql`true`
      : sql`coalesce(d.chain_id in ${[...chainIds]}, true) and coalesce(p.chain_kind in ${kindsOf(chainIds)}, true)`;
  return sql`
    select d.id from ${webhookDeliveries} d
    join ${webhookEndpoints} p on p.id = d.webhook_endpoint_id and p.status = 'ENABLED'
    where d.corporate_account_id = ${db.accountId} and d.status = 'FAILED' and d.id >= ${idAt(since.getTime())}
      and ${isVisible}
      and d.replay_id is distinct from ${replayId}
      and d.webhook_endpoint_id = coalesce(${endpointId ?? null}, d.webhook_endpoint_id)`;
}
