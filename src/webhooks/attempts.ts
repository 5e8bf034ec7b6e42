import { and, eq, gte, inArray, lt, lte, sql } from 'drizzle-orm';
import { runBatch } from '../db/client.ts';
import { corporateAccounts, webhookEvents, webhookLogs } from '../db/schema.ts';
import { newId } from '../http/ids.ts';
import type { Services } from '../services.ts';

/** An attempt that this caller, and no other, is to make. */
export interface Attempt {
  readonly eventId: string;
  readonly accountId: string;
  readonly type: string;
  readonly relatedOrderId: string;
  readonly payload: string;
  /** From 1. */
  readonly number: number;
  /** The account's own URL, if it has one. */
  readonly webhookUrl: string | null;
  readonly webhookSecret: string;
}

/** How an attempt went; `SKIPPED` when there is nowhere to send to. */
export type AttemptEnd =
  | { readonly attempt: Attempt; readonly status: 'SKIPPED' }
  | {
      readonly attempt: Attempt;
      readonly status: 'SUCCESS' | 'FAILED' | 'RETRYING';
      readonly target: string;
      /** Seconds until the next attempt; counts only for RETRYING. */
      readonly retryAfterSeconds: number;
      readonly responseStatusCode?: number;
      readonly errorMessage?: string;
    };

const unfinished = inArray(webhookEvents.status, ['PENDING', 'RETRYING']);

/**
 * Begins the attempts that are due: counted in the database, and leased so that nobody else makes them.
 * @param leaseMs For how long; a caller that dies leaves the event to the cleanup job, after that time.
 * @returns the attempts to make, and the events whose time has not come, with the seconds until then.
 */
export async function beginAttempts(
  { db, clock }: Services,
  eventIds: readonly string[],
  leaseMs: number,
  maxAttempts: number,
): Promise<{ begun: Attempt[]; early: { eventId: string; seconds: number }[] }> {
  const now = new Date(clock.now());
  const ids = [...eventIds];
  const [, early, begun] = await db.sql.batch([
    // A caller that died in its last attempt has left no end.
    db.sql
      .update(webhookEvents)
      .set({ status: 'FAILED', updatedAt: now })
      .where(
        and(
          inArray(webhookEvents.id, ids),
          unfinished,
          gte(webhookEvents.attempts, maxAttempts),
          lte(webhookEvents.nextAttemptAt, now),
        ),
      ),
    db.sql
      .select({ eventId: webhookEvents.id, nextAttemptAt: webhookEvents.nextAttemptAt })
      .from(webhookEvents)
      .where(
        and(inArray(webhookEvents.id, ids), unfinished, sql`${webhookEvents.nextAttemptAt} > ${now.toISOString()}`),
      ),
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
          inArray(webhookEvents.id, ids),
          unfinished,
          lt(webhookEvents.attempts, maxAttempts),
          lte(webhookEvents.nextAttemptAt, now),
          eq(corporateAccounts.id, webhookEvents.corporateAccountId),
        ),
      )
      .returning({
        eventId: webhookEvents.id,
        accountId: webhookEvents.corporateAccountId,
        type: webhookEvents.type,
        relatedOrderId: webhookEvents.relatedOrderId,
        payload: webhookEvents.payload,
        number: webhookEvents.attempts,
        webhookUrl: corporateAccounts.webhookUrl,
        webhookSecret: corporateAccounts.webhookSecret,
      }),
  ]);
  return {
    begun,
    early: early.map(({ eventId, nextAttemptAt }) => ({
      eventId,
      seconds: Math.max(1, Math.ceil((nextAttemptAt.getTime() - now.getTime()) / 1_000)),
    })),
  };
}

/** Writes how attempts went: their log rows and their events' new state, in one transaction. */
export async function endAttempts({ db, clock }: Services, ends: readonly AttemptEnd[]): Promise<void> {
  const now = new Date(clock.now());
  await runBatch(
    db,
    ends.flatMap((end) => {
      const { attempt, status } = end;
      const event = db.sql
        .update(webhookEvents)
        .set({
          status,
          updatedAt: now,
          ...(status === 'RETRYING' ? { nextAttemptAt: new Date(now.getTime() + end.retryAfterSeconds * 1_000) } : {}),
        })
        .where(and(eq(webhookEvents.id, attempt.eventId), unfinished));
      if (status === 'SKIPPED') return [event];
      const log = db.sql.insert(webhookLogs).values({
        id: newId(now.getTime()),
        webhookEventId: attempt.eventId,
        corporateAccountId: attempt.accountId,
        eventType: attempt.type,
        targetUrl: end.target,
        relatedOrderId: attempt.relatedOrderId,
        payloadSent: attempt.payload,
        status,
        responseStatusCode: end.responseStatusCode ?? null,
        errorMessage: end.errorMessage ?? null,
        attempt: attempt.number,
        createdAt: now,
        updatedAt: now,
      });
      return [event, log];
    }),
  );
}
