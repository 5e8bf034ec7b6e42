import { and, eq, gte, inArray, isNotNull, isNull, lt, lte, sql } from 'drizzle-orm';
import type { SystemDb } from '../platform/database/client.ts';
import { recordset } from '../platform/database/values-table.ts';
import { corporateAccounts, webhookEvents, webhookLogs } from '../platform/database/schema.ts';
import { newId } from '../core/ids.ts';
import type { Answer } from './send.ts';

/** An event whose time for an attempt has come. */
export interface DueEvent {
  readonly eventId: string;
  /** Where it is to be sent. */
  readonly target: string;
}

/** An attempt that this caller, and no other, is to make. */
export interface Attempt extends DueEvent {
  readonly accountId: string;
  readonly type: string;
  readonly relatedOrderId: string;
  readonly payload: string;
  /** From 1. */
  readonly number: number;
  /** Those that are to sign: the newest first. */
  readonly secrets: readonly [string, ...string[]];
}

/** How an attempt went, and what follows. */
export interface AttemptEnd {
  readonly status: 'SUCCESS' | 'FAILED' | 'RETRYING';
  readonly answer: Answer;
  /** Seconds until the next attempt; counts only for RETRYING. */
  readonly retryAfterSeconds: number;
}

interface Rules {
  readonly now: Date;
  readonly maxAttempts: number;
  /** The target of accounts that have none of their own. */
  readonly defaultTarget: string | undefined;
}

const unfinished = inArray(webhookEvents.status, ['PENDING', 'RETRYING']);
const ofItsAccount = eq(corporateAccounts.id, webhookEvents.corporateAccountId);

function targetOf({ defaultTarget }: Rules) {
  return sql<string>`coalesce(${corporateAccounts.webhookUrl}, ${defaultTarget ?? null})`;
}

/**
 * Sorts events into those that are due and those whose time has not come, after it has ended those that need no further
 * attempt: whose account has no target, and whose last attempt was broken off by a crash. Of a broken-off attempt nobody
 * knows the end; its log row is written here.
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
        'The attempt was broken off', e.attempts, ${now.toISOString()}::timestamptz, ${now.toISOString()}::timestamptz
      from ${recordset('v', { event_id: 'text', log_id: 'text' }, logIds)}
      join ${webhookEvents} e on e.id = v.event_id
      join ${corporateAccounts} a on a.id = e.corporate_account_id
      where e.status in ('PENDING', 'RETRYING') and e.attempts > 0 and e.next_attempt_at <= ${now.toISOString()}::timestamptz
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
 * Begins an attempt: counted in the database, and leased so that nobody else makes it.
 * @param leaseMs For how long: a caller that dies leaves the event to others after that time.
 * @returns undefined when there is none to make: somebody else was faster, or the event has its end.
 */
export async function beginAttempt(
  db: SystemDb,
  eventId: string,
  leaseMs: number,
  rules: Rules,
): Promise<Attempt | undefined> {
  const { now, maxAttempts } = rules;
  const [row] = await db.sql
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
    });
  if (row === undefined) return undefined;
  const { secret, previousSecret, previousSecretExpiresAt, ...attempt } = row;
  const previousSigns = previousSecret !== null && previousSecretExpiresAt !== null && previousSecretExpiresAt > now;
  return { ...attempt, secrets: previousSigns ? [secret, previousSecret] : [secret] };
}

/** Writes how an attempt went: its log row and its event's new state, in one transaction. */
export async function endAttempt(
  db: SystemDb,
  attempt: Attempt,
  { status, answer, retryAfterSeconds }: AttemptEnd,
  now: Date,
): Promise<void> {
  const outcome = {
    status,
    responseStatusCode: 'statusCode' in answer ? answer.statusCode : null,
    errorMessage: 'fault' in answer ? answer.fault : null,
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
      // Past its lease an attempt may have been taken for broken off, and the next one begun.
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
