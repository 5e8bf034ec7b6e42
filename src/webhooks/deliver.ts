import { waitUntil } from 'cloudflare:workers';
import { decryptWebhookSecret } from '../accounts/webhook-secret.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Services } from '../services.ts';
import { startAttempt, endAttempt, sortDeliveries } from './attempts.store.ts';
import type { Attempt, AttemptOutcome, DueDelivery } from './attempts.store.ts';
import { eventIdOf } from './delivery-reply.ts';
import { MAX_ATTEMPTS } from './event.ts';
import { isDelivered, send } from './send.ts';
import type { SendResult } from './send.ts';
import { roundRobin } from './round-robin.ts';

/** How much longer than the request an attempt is leased, for the statements around it. */
const LEASE_MARGIN_MS = 10_000;
/** A Worker may have six requests waiting for response headers at once. One is left for the database. */
const MAX_CONCURRENT = 5;
/** The most of them for one target, so that a slow target leaves room for others. */
const MAX_CONCURRENT_PER_TARGET = 2;
/** The most of them for one account, however many endpoints it has. */
const MAX_CONCURRENT_PER_ACCOUNT = 3;
/** A target that has not answered by then is slow, and the batch does not wait for it. */
const SLOW_AFTER_MS = 2_000;
/** The most slow targets that are remembered. */
const SLOW_TARGETS = 1_000;

/** What to do with a delivery's queue message: acknowledge it, or retry it later. */
export type DeliveryOutcome = { readonly done: true } | { readonly done: false; readonly retryAfterSeconds: number };

/**
 * Target -> when this Worker instance may send to it again, in milliseconds since the epoch. A slow target is paused while an
 * attempt to it may still be running, so that one that never answers blocks two requests at a time and no other target's
 * events.
 */
const slowUntil = new BoundedMap<string, number>(SLOW_TARGETS);

/**
 * Makes one attempt for each of these deliveries that is due. Safe to call concurrently for the same delivery: an attempt is
 * recorded in the database first, so two callers never make the same one.
 *
 * Accounts take turns, and so do the targets of an account. When only slow targets are left, this returns: running attempts continue
 * (`waitUntil`), and the messages of the other deliveries are retried.
 */
export async function deliver(
  services: Services,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeliveryOutcome>> {
  const { db, clock } = services;
  const { due, early } = await sortDeliveries(db, ids, rulesOf(services));
  const outcomes = new Map<string, DeliveryOutcome>(ids.map((id) => [id, { done: true }]));
  const retryAfter = (id: string, milliseconds: number) =>
    outcomes.set(id, { done: false, retryAfterSeconds: Math.max(1, Math.ceil(milliseconds / 1_000)) });
  for (const { id, seconds } of early) retryAfter(id, seconds * 1_000);

  const waiting = roundRobin(
    roundRobin(due, ({ target }) => target),
    ({ accountId }) => accountId,
  );
  const running: DueDelivery[] = [];
  const mayStart = ({ target, accountId }: DueDelivery) =>
    (slowUntil.get(target) ?? 0) <= clock.now() &&
    running.filter((other) => other.target === target).length < MAX_CONCURRENT_PER_TARGET &&
    running.filter((other) => other.accountId === accountId).length < MAX_CONCURRENT_PER_ACCOUNT;

  const attempt = async (delivery: DueDelivery) => {
    const retryAfterSeconds = await attemptOnce(services, delivery);
    running.splice(running.indexOf(delivery), 1);
    if (retryAfterSeconds === undefined) outcomes.set(delivery.id, { done: true });
    else retryAfter(delivery.id, retryAfterSeconds * 1_000);
  };

  const watched = new Set<Promise<void>>();
  for (;;) {
    const index = running.length < MAX_CONCURRENT ? waiting.findIndex(mayStart) : -1;
    const [delivery] = index < 0 ? [] : waiting.splice(index, 1);
    if (delivery !== undefined) {
      running.push(delivery);
      // Applies if this function returns before the attempt ends.
      retryAfter(delivery.id, (services.settings.WEBHOOK_TIMEOUT_SECONDS + 1) * 1_000);
      const run = attempt(delivery);
      waitUntil(run);
      const watch: Promise<void> = watchPace(services, delivery.target, run).finally(() => watched.delete(watch));
      watched.add(watch);
    } else if (watched.size > 0) {
      await Promise.race(watched);
    } else {
      break;
    }
  }
  for (const { id, target } of waiting) retryAfter(id, (slowUntil.get(target) ?? 0) - clock.now());
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

/** @returns the seconds after which the delivery's message is retried; undefined to acknowledge it. */
async function attemptOnce(services: Services, delivery: DueDelivery): Promise<number | undefined> {
  const { db, clock, log, settings } = services;
  try {
    const attempt = await startAttempt(db, delivery, leaseMsOf(services), rulesOf(services));
    // Another caller is making this attempt. If it crashes, the delivery is free after the lease.
    if (attempt === undefined) return leaseMsOf(services) / 1_000;
    const result = await sendTo(services, attempt);
    const failures = attempt.number - 1 - (attempt.limit - MAX_ATTEMPTS);
    const outcome: AttemptOutcome = {
      status: statusAfter(result, attempt),
      result,
      retryAfterSeconds: settings.WEBHOOK_RETRY_BASE_SECONDS * 2 ** failures,
    };
    log.info('webhook.attempted', {
      deliveryId: attempt.id,
      endpointId: attempt.endpointId,
      eventId: attempt.eventId,
      eventType: attempt.type,
      ...(attempt.relatedOrderId === null ? {} : { orderId: attempt.relatedOrderId }),
      accountId: attempt.accountId,
      attempt: attempt.number,
      status: outcome.status,
      ...result,
    });
    await endAttempt(db, attempt, outcome, new Date(clock.now()));
    return outcome.status === 'RETRYING' ? outcome.retryAfterSeconds : undefined;
  } catch (error) {
    log.error('webhook.attempt_failed', { deliveryId: delivery.id, error });
    return leaseMsOf(services) / 1_000;
  }
}

/** Sends the event if its target is allowed. */
async function sendTo(
  { checkTarget, clock, encryption, log, settings }: Services,
  attempt: Attempt,
): Promise<SendResult> {
  const rejection = await checkTarget(attempt.target);
  if (rejection !== undefined) return rejection;
  const { eventId, endpointId, payload, storedSecrets } = attempt;
  const [newest, ...former] = storedSecrets;
  try {
    const decrypt = (stored: string) => decryptWebhookSecret(encryption, endpointId, stored);
    const secrets = [await decrypt(newest), ...(await Promise.all(former.map(decrypt)))] as const;
    const message = { id: eventIdOf(eventId), at: new Date(clock.now()), payload, secrets };
    return await send(attempt.target, message, settings.WEBHOOK_TIMEOUT_SECONDS);
  } catch (error) {
    log.error('webhook.secret_unreadable', { endpointId, error });
    return { error: 'The signing secret could not be read', final: false };
  }
}

function statusAfter(result: SendResult, { number, limit }: Attempt): AttemptOutcome['status'] {
  if (isDelivered(result)) return 'SUCCESS';
  return result.final || number >= limit ? 'FAILED' : 'RETRYING';
}

function leaseMsOf({ settings }: Services): number {
  return settings.WEBHOOK_TIMEOUT_SECONDS * 1_000 + LEASE_MARGIN_MS;
}

function rulesOf({ clock, settings }: Services) {
  return { now: new Date(clock.now()), defaultTarget: settings.WEBHOOK_URL };
}
