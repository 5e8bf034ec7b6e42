import { waitUntil } from 'cloudflare:workers';
import type { Services } from '../services.ts';
import { beginAttempt, endAttempt, sortEvents } from './attempts.store.ts';
import type { Attempt, AttemptEnd, DueEvent } from './attempts.store.ts';
import { isDelivered, send } from './send.ts';
import type { Answer } from './send.ts';
import { inTurns } from './turns.ts';

/** Specification, Events 5: five attempts, each pause twice as long as the one before. */
const MAX_ATTEMPTS = 5;
/** Room for what surrounds the request: until then nobody else begins an attempt of the same event. */
const LEASE_MARGIN_MS = 10_000;
/** A Worker may have six requests at once waiting for their response headers: one is left for the database. */
const AT_ONCE = 5;
/** How many of them one target may have, so that one that is slow leaves room for others. */
const AT_ONCE_OF_TARGET = 2;
/** A target that has not answered by then is slow: the batch does not wait for it. */
const PATIENCE_MS = 2_000;
/** How many slow targets are remembered. */
const SLOW_TARGETS = 1_000;

/** What is to become of an event's message. */
export type DeliveryVerdict = { readonly done: true } | { readonly done: false; readonly retryAfterSeconds: number };

/**
 * Until when this Worker instance leaves a target alone, in milliseconds since the epoch: as long as an attempt is under
 * way that the target is slow to answer. So a target with many events that does not answer holds up two requests at a
 * time, and nobody else's events.
 */
const slowUntil = new Map<string, number>();

/**
 * Makes one attempt for each of these events that is due. May be called for the same event at any time: an attempt is
 * begun in the database first, so that two callers never make the same one.
 *
 * Targets have their turns. When all that is left waits for slow ones, this returns: attempts under way go on
 * (`waitUntil`), and the messages of the others come again.
 */
export async function deliver(
  services: Services,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, DeliveryVerdict>> {
  const { db, clock } = services;
  const { due, early } = await sortEvents(db, eventIds, rulesOf(services));
  const verdicts = new Map<string, DeliveryVerdict>(eventIds.map((id) => [id, { done: true }]));
  const again = (eventId: string, milliseconds: number) =>
    verdicts.set(eventId, { done: false, retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1_000)) });
  for (const { eventId, seconds } of early) again(eventId, seconds * 1_000);

  const waiting = inTurns(due, ({ target }) => target);
  const underWay: DueEvent[] = [];
  const mayBegin = ({ target }: DueEvent) =>
    (slowUntil.get(target) ?? 0) <= clock.now() &&
    underWay.filter((other) => other.target === target).length < AT_ONCE_OF_TARGET;

  const make = async (event: DueEvent) => {
    const retryAfterSeconds = await attemptOnce(services, event);
    underWay.splice(underWay.indexOf(event), 1);
    if (retryAfterSeconds === undefined) verdicts.set(event.eventId, { done: true });
    else again(event.eventId, retryAfterSeconds * 1_000);
  };

  const watched = new Set<Promise<void>>();
  for (;;) {
    const index = underWay.length < AT_ONCE ? waiting.findIndex(mayBegin) : -1;
    const [event] = index < 0 ? [] : waiting.splice(index, 1);
    if (event !== undefined) {
      underWay.push(event);
      // Counts if this returns before the attempt's end.
      again(event.eventId, (services.settings.WEBHOOK_TIMEOUT_SECONDS + 1) * 1_000);
      const run = make(event);
      waitUntil(run);
      const watch: Promise<void> = watchPace(services, event.target, run).finally(() => watched.delete(watch));
      watched.add(watch);
    } else if (watched.size > 0) {
      await Promise.race(watched);
    } else {
      break;
    }
  }
  for (const { eventId, target } of waiting) again(eventId, (slowUntil.get(target) ?? 0) - clock.now());
  return verdicts;
}

/** Settles when an attempt has ended, or when it has turned out that its target is slow. */
async function watchPace({ clock, settings }: Services, target: string, run: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const patience = scheduler.wait(PATIENCE_MS, { signal: ended.signal }).then(
    () => true,
    () => false,
  );
  const isSlow = await Promise.race([run.then(() => false), patience]);
  ended.abort();
  if (isSlow) {
    slowUntil.delete(target);
    slowUntil.set(target, clock.now() + settings.WEBHOOK_TIMEOUT_SECONDS * 1_000);
    const [oldest] = slowUntil.keys();
    if (slowUntil.size > SLOW_TARGETS && oldest !== undefined) slowUntil.delete(oldest);
  } else {
    slowUntil.delete(target);
  }
}

/** @returns seconds after which the event's message is to come again; undefined when it has done its work. */
async function attemptOnce(services: Services, event: DueEvent): Promise<number | undefined> {
  const { db, clock, log, settings } = services;
  try {
    const attempt = await beginAttempt(db, event.eventId, leaseMsOf(services), rulesOf(services));
    // Somebody else makes this attempt; should they die, it is ours after the lease.
    if (attempt === undefined) return leaseMsOf(services) / 1_000;
    const answer = await answerTo(services, attempt);
    const end: AttemptEnd = {
      status: statusAfter(answer, attempt.number),
      answer,
      retryAfterSeconds: settings.WEBHOOK_RETRY_BASE_SECONDS * 2 ** (attempt.number - 1),
    };
    log.info('webhook.attempted', {
      eventId: attempt.eventId,
      eventType: attempt.type,
      orderId: attempt.relatedOrderId,
      accountId: attempt.accountId,
      attempt: attempt.number,
      status: end.status,
      ...answer,
    });
    await endAttempt(db, attempt, end, new Date(clock.now()));
    return end.status === 'RETRYING' ? end.retryAfterSeconds : undefined;
  } catch (error) {
    log.error('webhook.interrupted', { eventId: event.eventId, error });
    return leaseMsOf(services) / 1_000;
  }
}

/** Sends the frozen body, where its target may be sent to. */
async function answerTo({ checkTarget, clock, settings }: Services, attempt: Attempt): Promise<Answer> {
  const fault = await checkTarget(attempt.target);
  if (fault !== undefined) return fault;
  const { eventId, payload, secrets } = attempt;
  const message = { id: `evt_${eventId}`, at: new Date(clock.now()), payload, secrets };
  return await send(attempt.target, message, settings.WEBHOOK_TIMEOUT_SECONDS);
}

function statusAfter(answer: Answer, attempt: number): AttemptEnd['status'] {
  if (isDelivered(answer)) return 'SUCCESS';
  return answer.final || attempt >= MAX_ATTEMPTS ? 'FAILED' : 'RETRYING';
}

function leaseMsOf({ settings }: Services): number {
  return settings.WEBHOOK_TIMEOUT_SECONDS * 1_000 + LEASE_MARGIN_MS;
}

function rulesOf({ clock, settings }: Services) {
  return { now: new Date(clock.now()), maxAttempts: MAX_ATTEMPTS, defaultTarget: settings.WEBHOOK_URL };
}
