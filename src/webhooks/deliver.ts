import { waitUntil } from 'cloudflare:workers';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Services } from '../services.ts';
import { startAttempt, endAttempt, sortEvents } from './attempts.store.ts';
import type { Attempt, AttemptOutcome, DueEvent } from './attempts.store.ts';
import { isDelivered, send } from './send.ts';
import type { SendResult } from './send.ts';
import { roundRobin } from './round-robin.ts';

/** Specification, Events 5: five attempts with exponential backoff. */
const MAX_ATTEMPTS = 5;
/** How much longer than the request an attempt is leased, for the statements around it. */
const LEASE_MARGIN_MS = 10_000;
/** A Worker may have six requests waiting for response headers at once. One is left for the database. */
const MAX_CONCURRENT = 5;
/** The most of them for one target, so that a slow target leaves room for others. */
const MAX_CONCURRENT_PER_TARGET = 2;
/** A target that has not answered by then is slow, and the batch does not wait for it. */
const SLOW_AFTER_MS = 2_000;
/** The most slow targets that are remembered. */
const SLOW_TARGETS = 1_000;

/** What to do with an event's queue message: acknowledge it, or retry it later. */
export type DeliveryOutcome = { readonly done: true } | { readonly done: false; readonly retryAfterSeconds: number };

/**
 * Target -> when this Worker instance may send to it again, in milliseconds since the epoch. A slow target is paused while an
 * attempt to it may still be running, so that one that never answers blocks two requests at a time and no other target's
 * events.
 */
const slowUntil = new BoundedMap<string, number>(SLOW_TARGETS);

/**
 * Makes one attempt for each of these events that is due. Safe to call concurrently for the same event: an attempt is
 * recorded in the database first, so two callers never make the same one.
 *
 * Targets take turns. When only slow targets are left, this returns: running attempts continue (`waitUntil`), and the
 * messages of the other events are retried.
 */
export async function deliver(
  services: Services,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  const { db, clock } = services;
  const { due, early } = await sortEvents(db, eventIds, rulesOf(services));
  const outcomes = new Map<string, DeliveryOutcome>(eventIds.map((id) => [id, { done: true }]));
  const retryAfter = (eventId: string, milliseconds: number) =>
    outcomes.set(eventId, { done: false, retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1_000)) });
  for (const { eventId, seconds } of early) retryAfter(eventId, seconds * 1_000);

  const waiting = roundRobin(due, ({ target }) => target);
  const running: DueEvent[] = [];
  const mayStart = ({ target }: DueEvent) =>
    (slowUntil.get(target) ?? 0) <= clock.now() &&
    running.filter((other) => other.target === target).length < MAX_CONCURRENT_PER_TARGET;

  const attempt = async (event: DueEvent) => {
    const retryAfterSeconds = await attemptOnce(services, event);
    running.splice(running.indexOf(event), 1);
    if (retryAfterSeconds === undefined) outcomes.set(event.eventId, { done: true });
    else retryAfter(event.eventId, retryAfterSeconds * 1_000);
  };

  const watched = new Set<Promise<void>>();
  for (;;) {
    const index = running.length < MAX_CONCURRENT ? waiting.findIndex(mayStart) : -1;
    const [event] = index < 0 ? [] : waiting.splice(index, 1);
    if (event !== undefined) {
      running.push(event);
      // Applies if this function returns before the attempt ends.
      retryAfter(event.eventId, (services.settings.WEBHOOK_TIMEOUT_SECONDS + 1) * 1_000);
      const run = attempt(event);
      waitUntil(run);
      const watch: Promise<void> = watchPace(services, event.target, run).finally(() => watched.delete(watch));
      watched.add(watch);
    } else if (watched.size > 0) {
      await Promise.race(watched);
    } else {
      break;
    }
  }
  for (const { eventId, target } of waiting) retryAfter(eventId, (slowUntil.get(target) ?? 0) - clock.now());
  return outcomes;
}

/** Resolves when an attempt has ended, or when its target has turned out to be slow. */
async function watchPace({ clock, settings }: Services, target: string, run: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const timeout = scheduler.wait(SLOW_AFTER_MS, { signal: ended.signal }).then(
    () => true,
    () => false,
  );
  const isSlow = await Promise.race([run.then(() => false), timeout]);
  ended.abort();
  if (isSlow) {
    slowUntil.set(target, clock.now() + settings.WEBHOOK_TIMEOUT_SECONDS * 1_000);
  } else {
    slowUntil.delete(target);
  }
}

/** @returns the seconds after which the event's message is retried; undefined to acknowledge it. */
async function attemptOnce(services: Services, event: DueEvent): Promise<number | undefined> {
  const { db, clock, log, settings } = services;
  try {
    const attempt = await startAttempt(db, event.eventId, leaseMsOf(services), rulesOf(services));
    // Another caller is making this attempt. If it crashes, the event is free after the lease.
    if (attempt === undefined) return leaseMsOf(services) / 1_000;
    const result = await sendTo(services, attempt);
    const outcome: AttemptOutcome = {
      status: statusAfter(result, attempt.number),
      result,
      retryAfterSeconds: settings.WEBHOOK_RETRY_BASE_SECONDS * 2 ** (attempt.number - 1),
    };
    log.info('webhook.attempted', {
      eventId: attempt.eventId,
      eventType: attempt.type,
      orderId: attempt.relatedOrderId,
      accountId: attempt.accountId,
      attempt: attempt.number,
      status: outcome.status,
      ...result,
    });
    await endAttempt(db, attempt, outcome, new Date(clock.now()));
    return outcome.status === 'RETRYING' ? outcome.retryAfterSeconds : undefined;
  } catch (error) {
    log.error('webhook.attempt_failed', { eventId: event.eventId, error });
    return leaseMsOf(services) / 1_000;
  }
}

/** Sends the event if its target is allowed. */
async function sendTo({ checkTarget, clock, settings }: Services, attempt: Attempt): Promise<SendResult> {
  const rejection = await checkTarget(attempt.target);
  if (rejection !== undefined) return rejection;
  const { eventId, payload, secrets } = attempt;
  const message = { id: `evt_${eventId}`, at: new Date(clock.now()), payload, secrets };
  return await send(attempt.target, message, settings.WEBHOOK_TIMEOUT_SECONDS);
}

function statusAfter(result: SendResult, attempt: number): AttemptOutcome['status'] {
  if (isDelivered(result)) return 'SUCCESS';
  return result.final || attempt >= MAX_ATTEMPTS ? 'FAILED' : 'RETRYING';
}

function leaseMsOf({ settings }: Services): number {
  return settings.WEBHOOK_TIMEOUT_SECONDS * 1_000 + LEASE_MARGIN_MS;
}

function rulesOf({ clock, settings }: Services) {
  return { now: new Date(clock.now()), maxAttempts: MAX_ATTEMPTS, defaultTarget: settings.WEBHOOK_URL };
}
