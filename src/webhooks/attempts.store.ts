import { and, eq, gte, inArray, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import type { SystemDb } from '../platform/database/client.ts';
import { valuesTable } from '../platform/database/values-table.ts';
import { corporateAccounts, undelivered, webhookEvents, webhookLogs } from '../platform/database/schema.ts';
import type { AttemptStatus } from '../core/event-status.ts';
import { newId } from '../core/ids.ts';
import type { SendResult } from './send.ts';
import { tagged } from '../platform/database/tagged.ts';

/** An event that is due for an attempt. */
export interface DueEvent {
  readonly eventId: string;
  /** The URL it is sent to. */
  readonly target: string;
}

/** An attempt that only this caller may make. */
export interface Attempt extends DueEvent {
  readonly accountId: string;
  readonly type: string;
  readonly relatedOrderId: string;
  readonly payload: string;
  /** From 1. */
  readonly number: number;
  /** The secrets to sign with, the newest first. */
  readonly secrets: readonly [string, ...string[]];
}

/** The outcome of an attempt. */
export interface AttemptOutcome {
  readonly status: AttemptStatus;
  readonly result: SendResult;
  /** Seconds until the next attempt. Used only for RETRYING. */
  readonly retryAfterSeconds: number;
}

interface Rules {
  readonly now: Date;
  readonly maxAttempts: number;
  /** The webhook URL of accounts that have none. */
  readonly defaultTarget: string | undefined;
}

const unfinished = sql`${webhookEvents.status} in ${undelivered}`;
const ofItsAccount = eq(corporateAccounts.id, webhookEvents.corporateAccountId);

function targetOf({ defaultTarget }: Rules) {
  return sql<string>`coalesce(${corporateAccounts.webhookUrl}, ${defaultTarget ?? null})`;
}

/**
 * Splits events into those that are due and those that are not due yet. Before that, it ends events that get no further
 * attempt: those whose account has no webhook URL, and those whose last attempt was interrupted. The outcome of an
 * interrupted attempt is unknown; its log row is written here.
 */
export async function sortEvents(
  db: SystemDb,
  eventIds: readonly string[],
  rules: Rules,
): Promise<{ due: DueEvent[]; early: { eventId: string; seconds: number }[] }> {
  const { now, maxAttempts, defaultTarget } = rules;
  const these = and(inArray(webhookEvents.id, [...eventIds]), unfinished);
  const isDue = lte(webhookEvents.nextAttemptAt, now);
  const logIds = eventIds.map((eventId) => ({ event_id: eventId, log_id: newId(now.getTime()) }));
  const [, , , rows] = await db.sql.batch([
    db.sql.execute(sql`
      insert into ${webhookLogs} (id, webhook_event_id, corporate_account_id, event_type, target_url, related_order_id,
        payload_sent, status, error_message, attempt, created_at, updated_at)
      select v.log_id, e.id, e.corporate_account_id, e.type, coalesce(a.webhook_url, ${defaultTarget ?? null}),
        e.related_order_id, e.payload, case when e.attempts < ${maxAttempts} then 'RETRYING' else 'FAILED' end,
        'The attempt was interrupted', e.attempts, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
      from ${valuesTable('v', { event_id: 'text', log_id: 'text' }, logIds)}
      join ${webhookEvents} e on e.id = v.event_id
      join ${corporateAccounts} a on a.id = e.corporate_account_id
      where e.status in ${undelivered} and e.attempts > 0 and e.next_attempt_at <= ${now.toISOString()}::timestamptz
        and coalesce(a.webhook_url, ${defaultTarget ?? null}) is not null
      on conflict (webhook_event_id, attempt) do nothing`),
    db.sql
      .update(webhookEvents)
      .set({ status: 'FAILED', updatedAt: now })
      .where(and(these, isDue, gte(webhookEvents.attempts, maxAttempts))),
    db.sql
      .update(webhookEvents)
      .set({ status: 'SKIPPED', updatedAt: now })
      .from(corporateAccounts)
      .where(and(these, isDue, ofItsAccount, isNull(targetOf(rules)))),
    db.sql
      .select({ eventId: webhookEvents.id, nextAttemptAt: webhookEvents.nextAttemptAt, target: targetOf(rules) })
      .from(webhookEvents)
      .innerJoin(corporateAccounts, ofItsAccount)
      .where(these)
      .orderBy(webhookEvents.id),
  ]);
  const due: DueEvent[] = [];
  const early: { eventId: string; seconds: number }[] = [];
  for (const { eventId, nextAttemptAt, target } of rows) {
    const milliseconds = nextAttemptAt.getTime() - now.getTime();
    if (milliseconds <= 0) due.push({ eventId, target });
    else early.push({ eventId, seconds: Math.ceil(milliseconds / 1_000) });
  }
  return { due, early };
}

/**
 * Starts an attempt: counts it in the database and leases the event, so that no other caller makes the same attempt.
 * @param leaseMs Milliseconds after which another caller may take over from one that has crashed.
 * @returns undefined when there is no attempt to make: another caller has started it, or the event is final.
 */
export async function startAttempt(
  db: SystemDb,
  eventId: string,
  leaseMs: number,
  rules: Rules,
): Promise<Attempt | undefined> {
  const { now, maxAttempts } = rules;
  const [row] = await tagged(
    'begin-attempt',
    db.sql
      .update(webhookEvents)
      .set({
        attempts: sql`${webhookEvents.attempts} + 1`,
        nextAttemptAt: new Date(now.getTime() + leaseMs),
        updatedAt: now,
      })
      .from(corporateAccounts)
      .where(
        and(
          eq(webhookEvents.id, eventId),
          unfinished,
          lt(webhookEvents.attempts, maxAttempts),
          lte(webhookEvents.nextAttemptAt, now),
          ofItsAccount,
          isNotNull(targetOf(rules)),
        ),
      )
      .returning({
        eventId: webhookEvents.id,
        target: targetOf(rules),
        accountId: webhookEvents.corporateAccountId,
        type: webhookEvents.type,
        relatedOrderId: webhookEvents.relatedOrderId,
        payload: webhookEvents.payload,
        number: webhookEvents.attempts,
        secret: corporateAccounts.webhookSecret,
        previousSecret: corporateAccounts.webhookSecretPrevious,
        previousSecretExpiresAt: corporateAccounts.webhookSecretPreviousExpiresAt,
      }),
  );
  if (row === undefined) return undefined;
  const { secret, previousSecret, previousSecretExpiresAt, ...attempt } = row;
  const signsWithPrevious =
    previousSecret !== null && previousSecretExpiresAt !== null && previousSecretExpiresAt > now;
  return { ...attempt, secrets: signsWithPrevious ? [secret, previousSecret] : [secret] };
}

/** Stores the outcome of an attempt: its log row and the event's new state, in one transaction. */
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
  await db.sql.batch([
    db.sql
      .update(webhookEvents)
      .set({
        status,
        updatedAt: now,
        ...(status === 'RETRYING' ? { nextAttemptAt: new Date(now.getTime() + retryAfterSeconds * 1_000) } : {}),
      })
      // After its lease an attempt may have been treated as interrupted, and the next one started.
      .where(and(eq(webhookEvents.id, attempt.eventId), unfinished, eq(webhookEvents.attempts, attempt.number))),
    db.sql
      .insert(webhookLogs)
      .values({
        id: newId(now.getTime()),
        webhookEventId: attempt.eventId,
        corporateAccountId: attempt.accountId,
        eventType: attempt.type,
        targetUrl: attempt.target,
        relatedOrderId: attempt.relatedOrderId,
        payloadSent: attempt.payload,
        attempt: attempt.number,
        createdAt: now,
        ...outcome,
      })
      .onConflictDoUpdate({ target: [webhookLogs.webhookEventId, webhookLogs.attempt], set: outcome }),
  ]);
}
