import { and, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, ne, or, sql } from 'drizzle-orm';
import { z } from 'zod';
import { runBatch, type SystemDb } from '../platform/database/client.ts';
import { valuesTable } from '../platform/database/values.ts';
import {
  orders,
  webhookDeliveries,
  webhookEndpoints,
  undelivered,
  webhookEvents,
  webhookLogs,
} from '../platform/database/schema.ts';
import type { AttemptStatus } from '../platform/database/vocabulary/delivery-status.ts';
import { newId } from '../core/record-id.ts';
import type { Trace } from '../core/trace.ts';
import { MAX_ATTEMPTS } from './event.ts';
import type { SendResult } from './send.ts';
import { oneColumn } from '../platform/database/json-rows.ts';
import { tagged } from '../platform/database/tagged.ts';

interface Delivery {
  readonly id: string;
  readonly endpointId: string;
  readonly accountId: string;
  /** The URL it is sent to. */
  readonly target: string;
}

/** A delivery that is due for an attempt. */
export interface DueDelivery extends Delivery {
  /** The attempts made so far, each of which has its log row. */
  readonly attempts: number;
}

/** An attempt that only this caller may make. */
export interface Attempt extends Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly relatedOrderId: string | null;
  readonly payload: string;
  /** The trace of the request behind the event; null if there is none. */
  readonly trace: Trace | null;
  /** From 1. */
  readonly number: number;
  /** The number of the last attempt. */
  readonly limit: number;
  /** The secrets to sign with, as they are stored, the newest first. */
  readonly storedSecrets: readonly [string, ...string[]];
}

export interface AttemptOutcome {
  readonly status: AttemptStatus;
  readonly result: SendResult;
  /** Seconds until the next attempt. Used only for RETRYING. */
  readonly retryAfterSeconds: number;
}

interface Rules {
  readonly now: Date;
  /** The URL of endpoints that have none. */
  readonly defaultTarget: string | undefined;
}

const unfinished = sql`${webhookDeliveries.status} in ${undelivered}`;
const ofItsEndpoint = eq(webhookEndpoints.id, webhookDeliveries.webhookEndpointId);

function targetOf({ defaultTarget }: Rules) {
  return sql<string>`coalesce(${webhookEndpoints.url}, ${defaultTarget ?? null})`;
}

/** The endpoints as a table `e` with the column `id`. */
function endpointTable(endpointIds: readonly string[]) {
  return valuesTable(
    'e',
    { id: 'text' },
    endpointIds.map((id) => ({ id })),
  );
}

/** A delivery whose time has come. */
interface TakenDelivery {
  readonly id: string;
  readonly endpointId: string;
  /**
   * What the attempt needs if it is the first and its endpoint can get it. `sortDeliveries` tells what is due of any
   * other, if anything is.
   */
  readonly first: DueDelivery | undefined;
}

const takenReply = z.object({
  rows: z.array(
    z.object({
      id: z.string(),
      endpoint_id: z.string(),
      account_id: z.string(),
      target: z.string().nullable(),
      is_first: z.boolean(),
    }),
  ),
});

/**
 * The deliveries of these endpoints that are due, at most `limit` of each endpoint: those that have been due longest.
 */
export async function dueDeliveries(
  db: SystemDb,
  endpointIds: readonly string[],
  limit: number,
  { now, defaultTarget }: Rules,
): Promise<TakenDelivery[]> {
  const reply = await db.sql.execute(
    tagged(
      'due-deliveries',
      sql`
        select d.id, e.id as endpoint_id, p.corporate_account_id as account_id, coalesce(p.url, ${defaultTarget ?? null}) as target,
          d.attempts = 0 and p.status = 'ENABLED' as is_first
        from ${endpointTable(endpointIds)} cross join lateral (
          select o.corporate_account_id, o.url, o.status from ${webhookEndpoints} o where o.id = e.id limit 1
        ) p cross join lateral (
          select u.id, u.attempts from ${webhookDeliveries} u
          where u.webhook_endpoint_id = e.id and u.status in ${undelivered} and u.next_attempt_at <= ${now.toISOString()}::timestamptz
          order by u.next_attempt_at limit ${limit}
        ) d`,
    ),
  );
  return takenReply
    .parse(reply)
    .rows.map(({ id, endpoint_id: endpointId, account_id: accountId, target, is_first }) => ({
      id,
      endpointId,
      first: is_first && target !== null ? { id, endpointId, accountId, target, attempts: 0 } : undefined,
    }));
}

const nextReply = z.object({ rows: z.array(z.object({ endpoint_id: z.string(), at: z.coerce.date() })) });

/**
 * When the next attempt of each of these endpoints is due; while an attempt is made, when its lease ends. Endpoints
 * without unfinished deliveries are left out.
 */
export async function nextAttempts(db: SystemDb, endpointIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
  const reply = await db.sql.execute(
    tagged(
      'next-attempts',
      sql`
        select e.id as endpoint_id, d.next_attempt_at as at from ${endpointTable(endpointIds)} cross join lateral (
          select u.next_attempt_at from ${webhookDeliveries} u
          where u.webhook_endpoint_id = e.id and u.status in ${undelivered}
          order by u.next_attempt_at limit 1
        ) d`,
    ),
  );
  return new Map(nextReply.parse(reply).rows.map(({ endpoint_id: endpointId, at }) => [endpointId, at]));
}

/**
 * Ends those of these deliveries that get no further attempt: those whose endpoint has no URL or is not enabled, and
 * those whose last attempt was interrupted. The outcome of an interrupted attempt is unknown; its log row is written
 * here. Attempts before a replay have ended.
 * @returns the others that are due.
 */
export async function sortDeliveries(db: SystemDb, ids: readonly string[], rules: Rules): Promise<DueDelivery[]> {
  const { now, defaultTarget } = rules;
  const isDue = lte(webhookDeliveries.nextAttemptAt, now);
  const these = and(inArray(webhookDeliveries.id, [...ids]), unfinished, isDue);
  const logIds = ids.map((id) => ({ delivery_id: id, log_id: newId(now.getTime()) }));
  const { due } = await runBatch(db, {
    interrupted: db.sql.execute(sql`
      insert into ${webhookLogs} (id, webhook_delivery_id, corporate_account_id, event_type, target_url, related_order_id,
        payload_sent, status, error_message, attempt, created_at, updated_at)
      select v.log_id, d.id, d.corporate_account_id, d.event_type, coalesce(p.url, ${defaultTarget ?? null}),
        d.related_order_id, e.payload, case when d.attempts < d.attempt_limit then 'RETRYING' else 'FAILED' end,
        'The attempt was interrupted', d.attempts, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
      from ${valuesTable('v', { delivery_id: 'text', log_id: 'text' }, logIds)}
      join ${webhookDeliveries} d on d.id = v.delivery_id
      join ${webhookEvents} e on e.id = d.webhook_event_id
      join ${webhookEndpoints} p on p.id = d.webhook_endpoint_id
      where d.status in ${undelivered} and d.attempts > d.attempt_limit - ${MAX_ATTEMPTS}::int and d.next_attempt_at <= ${now.toISOString()}::timestamptz
        and coalesce(p.url, ${defaultTarget ?? null}) is not null
      on conflict (webhook_delivery_id, attempt) do nothing`),
    failed: db.sql
      .update(webhookDeliveries)
      .set({ status: 'FAILED', updatedAt: now })
      .where(and(these, gte(webhookDeliveries.attempts, webhookDeliveries.attemptLimit))),
    skipped: db.sql
      .update(webhookDeliveries)
      .set({ status: 'SKIPPED', updatedAt: now })
      .from(webhookEndpoints)
      .where(and(these, ofItsEndpoint, or(isNull(targetOf(rules)), ne(webhookEndpoints.status, 'ENABLED')))),
    due: db.sql
      .select({
        id: webhookDeliveries.id,
        accountId: webhookDeliveries.corporateAccountId,
        endpointId: webhookDeliveries.webhookEndpointId,
        attempts: webhookDeliveries.attempts,
        target: targetOf(rules),
      })
      .from(webhookDeliveries)
      .innerJoin(webhookEndpoints, ofItsEndpoint)
      .where(these),
  });
  return due;
}

/**
 * Starts an attempt: counts it in the database and leases the delivery, so that no other caller makes the same attempt.
 * @param leaseMs Milliseconds after which another caller may take over from one that has crashed.
 * @returns undefined when there is no attempt to make: another caller has started it, or the delivery is final.
 */
export async function startAttempt(
  db: SystemDb,
  { id, attempts }: DueDelivery,
  leaseMs: number,
  rules: Rules,
): Promise<Attempt | undefined> {
  const { now } = rules;
  const [row] = await tagged(
    'begin-attempt',
    db.sql
      .update(webhookDeliveries)
      .set({
        attempts: sql`${webhookDeliveries.attempts} + 1`,
        nextAttemptAt: new Date(now.getTime() + leaseMs),
        updatedAt: now,
      })
      .from(webhookEndpoints)
      .where(
        and(
          eq(webhookDeliveries.id, id),
          unfinished,
          // An attempt that another caller has started since has no log row if it was interrupted: sortDeliveries comes
          // first.
          eq(webhookDeliveries.attempts, attempts),
          lt(webhookDeliveries.attempts, webhookDeliveries.attemptLimit),
          lte(webhookDeliveries.nextAttemptAt, now),
          ofItsEndpoint,
          eq(webhookEndpoints.status, 'ENABLED'),
          isNotNull(targetOf(rules)),
        ),
      )
      .returning({
        started: oneColumn({
          id: webhookDeliveries.id,
          target: targetOf(rules),
          accountId: webhookDeliveries.corporateAccountId,
          eventId: webhookDeliveries.webhookEventId,
          endpointId: webhookDeliveries.webhookEndpointId,
          type: webhookDeliveries.eventType,
          relatedOrderId: webhookDeliveries.relatedOrderId,
          payload: sql<string>`(select e.payload from ${webhookEvents} e where e.id = ${webhookDeliveries.webhookEventId})`,
          trace: sql<Trace | null>`(select t.trace from ${orders} t where t.order_id = ${webhookDeliveries.relatedOrderId} limit 1)`,
          number: webhookDeliveries.attempts,
          limit: webhookDeliveries.attemptLimit,
          secret: webhookEndpoints.secret,
          previousSecret: webhookEndpoints.secretPrevious,
          previousSecretExpiresAt: webhookEndpoints.secretPreviousExpiresAt,
        }),
      }),
  );
  if (row === undefined) return undefined;
  const { secret, previousSecret, previousSecretExpiresAt, ...attempt } = row.started;
  const signsWithPrevious =
    previousSecret !== null && previousSecretExpiresAt !== null && previousSecretExpiresAt > now;
  return { ...attempt, storedSecrets: signsWithPrevious ? [secret, previousSecret] : [secret] };
}

/**
 * Condition: this attempt is still the delivery's last one. After its lease it may have been treated as interrupted,
 * and the next one started, or the delivery replayed, which raises the limit.
 */
const isLast = ({ id, number, limit }: Attempt) =>
  and(
    eq(webhookDeliveries.id, id),
    unfinished,
    eq(webhookDeliveries.attempts, number),
    eq(webhookDeliveries.attemptLimit, limit),
  );

/**
 * Returns an attempt that was started and sent nothing: the delivery is due, and its next attempt has the same number.
 * Once its lease has ended it is not returned, since another caller may have logged it as interrupted.
 */
export async function returnAttempt(db: SystemDb, attempt: Attempt, now: Date): Promise<void> {
  await tagged(
    'return-attempt',
    db.sql
      .update(webhookDeliveries)
      .set({ attempts: sql`${webhookDeliveries.attempts} - 1`, nextAttemptAt: now, updatedAt: now })
      .where(and(isLast(attempt), gt(webhookDeliveries.nextAttemptAt, now))),
  );
}

/** Stores the outcome of an attempt: its log row and the delivery's new state, in one transaction. */
export async function endAttempt(
  db: SystemDb,
  attempt: Attempt,
  { status, result, retryAfterSeconds }: AttemptOutcome,
  now: Date,
): Promise<void> {
  const outcome = {
    status,
    responseStatusCode: 'statusCode' in result ? result.statusCode : null,
    errorMessage: 'error' in result ? result.error : null,
    updatedAt: now,
  };
  await runBatch(db, {
    delivery: db.sql
      .update(webhookDeliveries)
      .set({
        status,
        updatedAt: now,
        ...(status === 'RETRYING' ? { nextAttemptAt: new Date(now.getTime() + retryAfterSeconds * 1_000) } : {}),
      })
      .where(isLast(attempt)),
    log: db.sql
      .insert(webhookLogs)
      .values({
        id: newId(now.getTime()),
        webhookDeliveryId: attempt.id,
        corporateAccountId: attempt.accountId,
        eventType: attempt.type,
        targetUrl: attempt.target,
        relatedOrderId: attempt.relatedOrderId,
        payloadSent: attempt.payload,
        attempt: attempt.number,
        createdAt: now,
        ...outcome,
      })
      .onConflictDoUpdate({ target: [webhookLogs.webhookDeliveryId, webhookLogs.attempt], set: outcome }),
  });
}
