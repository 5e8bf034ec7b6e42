import { waitUntil } from 'cloudflare:workers';
import { decryptWebhookSecret } from '../accounts/webhook-secret.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { Services } from '../services.ts';
import { dueDeliveries, endAttempt, nextAttempts, sortDeliveries, startAttempt } from './attempts.store.ts';
import type { Attempt, AttemptOutcome, DueDelivery } from './attempts.store.ts';
import { eventIdOf } from './delivery-reply.ts';
import { MAX_ATTEMPTS } from './event.ts';
import { isDelivered, send } from './send.ts';
import type { SendResult } from './send.ts';
import { rotated } from './rotated.ts';
import { roundRobin } from './round-robin.ts';

/** How much longer than the request an attempt is leased, for the statements around it. */
const LEASE_MARGIN_MS = 10_000;
/** The most deliveries that a call takes, the same number of each endpoint. */
const MAX_TAKEN = 100;
/** A call starts no attempt later, so that others wait neither for an endpoint with many deliveries nor for one that takes its time. */
const START_WITHIN_MS = 1_000;
/** When an endpoint for which nothing could be done is tried again, at the earliest. */
const IDLE_MS = 1_000;
/** A Worker may have six requests waiting for response headers at once. One is left for the database. */
const MAX_CONCURRENT = 5;
/** The most of them for one target, so that a slow target leaves room for others. */
const MAX_CONCURRENT_PER_TARGET = 2;
/** The most of them for one account, however many endpoints it has. */
const MAX_CONCURRENT_PER_ACCOUNT = 3;
/** After so many deliveries in a row that another caller has started, a call leaves the endpoint to the others. */
const MAX_COLLISIONS = 3;
/** A target that has not answered by then is slow, and the batch does not wait for it. */
const SLOW_AFTER_MS = 2_000;
/** The most slow targets that are remembered. */
const SLOW_TARGETS = 1_000;

/**
 * Target -> when this Worker instance may send to it again, in milliseconds since the epoch. A slow target is paused while an
 * attempt to it may still be running, so that one that never answers blocks two requests at a time and no other target's
 * events.
 */
const slowUntil = new BoundedMap<string, number>(SLOW_TARGETS);

/**
 * Attempts the due deliveries of these endpoints, those first that have been due longest, as many as can be started within a second. Safe to call
 * concurrently for the same endpoint: an attempt is recorded in the database first, so two callers never make the same one. A caller that meets
 * another one goes on at a random place of the endpoint's deliveries, so that together they make few statements in vain.
 *
 * Accounts take turns, and so do the targets of an account; which of them begins is random. This does not wait for slow targets: running attempts continue (`waitUntil`).
 * @returns endpoint -> the seconds after which it is to be called for it again; without those that have no unfinished deliveries.
 */
export async function deliver(
  services: Services,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { db } = services;
  const rules = rulesOf(services);
  const perEndpoint = Math.max(1, Math.floor(MAX_TAKEN / endpointIds.length));
  const taken = await dueDeliveries(db, endpointIds, perEndpoint, rules.now);
  const ids = taken.map(({ id }) => id);
  const due = ids.length === 0 ? [] : await sortDeliveries(db, ids, rules);
  const round = await attemptInTurn(services, due);
  const left = new Set(round.waiting);
  const moved = new Set(taken.filter(({ id }) => !left.has(id)).map(({ endpointId }) => endpointId));
  return delaysOf(services, await nextAttempts(db, endpointIds), { ...round, moved });
}

/** What was done for the deliveries that a call has taken. */
interface Round {
  /** The ids of deliveries without an attempt. */
  readonly waiting: readonly string[];
  /** Endpoint -> until when it is to be left alone, in milliseconds since the epoch. */
  readonly pausedUntil: ReadonlyMap<string, number>;
  /** The endpoints of attempts that have not ended. */
  readonly running: ReadonlySet<string>;
}

/** Makes one attempt for each delivery, as many as can be started in time. */
async function attemptInTurn(services: Services, due: readonly DueDelivery[]): Promise<Round> {
  const { clock } = services;
  const startUntil = clock.now() + START_WITHIN_MS;
  let waiting = roundRobin(due, [({ accountId }) => accountId, ({ target }) => target]);
  const running: DueDelivery[] = [];
  const pausedUntil = new Map<string, number>();
  const mayStart = ({ target, accountId }: DueDelivery) =>
    (slowUntil.get(target) ?? 0) <= clock.now() &&
    running.filter((other) => other.target === target).length < MAX_CONCURRENT_PER_TARGET &&
    running.filter((other) => other.accountId === accountId).length < MAX_CONCURRENT_PER_ACCOUNT;

  const leftToOthers: DueDelivery[] = [];
  const collisions = new Map<string, number>();
  const leaveToOthers = (delivery: DueDelivery) => {
    const { endpointId } = delivery;
    const count = (collisions.get(endpointId) ?? 0) + 1;
    collisions.set(endpointId, count);
    leftToOthers.push(delivery);
    const isOwn = (other: DueDelivery) => other.endpointId === endpointId;
    const own = waiting.filter(isOwn);
    if (count < MAX_COLLISIONS) {
      const turned = rotated(own);
      waiting = waiting.map((other) => (isOwn(other) ? (turned.shift() ?? other) : other));
    } else {
      leftToOthers.push(...own);
      waiting = waiting.filter((other) => !isOwn(other));
    }
  };

  const attempt = async (delivery: DueDelivery) => {
    const result = await attemptOnce(services, delivery).catch((error: unknown) => {
      services.log.error('webhook.attempt_failed', { deliveryId: delivery.id, error });
      return 'failed' as const;
    });
    running.splice(running.indexOf(delivery), 1);
    if (result === 'taken') leaveToOthers(delivery);
    else collisions.delete(delivery.endpointId);
    if (result === 'failed') pausedUntil.set(delivery.endpointId, clock.now() + leaseMsOf(services));
  };

  const watched = new Set<Promise<void>>();
  for (;;) {
    const canStart = running.length < MAX_CONCURRENT && clock.now() <= startUntil;
    const index = canStart ? waiting.findIndex(mayStart) : -1;
    const [delivery] = index < 0 ? [] : waiting.splice(index, 1);
    if (delivery !== undefined) {
      running.push(delivery);
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
  for (const { endpointId, target } of [...waiting, ...running]) {
    const until = Math.max(pausedUntil.get(endpointId) ?? 0, slowUntil.get(target) ?? 0);
    pausedUntil.set(endpointId, until);
  }
  return {
    waiting: [...waiting, ...leftToOthers].map(({ id }) => id),
    pausedUntil,
    running: new Set(running.map(({ endpointId }) => endpointId)),
  };
}

/** @returns endpoint -> seconds until it is to be tried again. An endpoint for which nothing was done is not tried again at once. */
function delaysOf(
  { clock, settings }: Services,
  next: ReadonlyMap<string, Date>,
  { pausedUntil, running, moved }: Round & { readonly moved: ReadonlySet<string> },
): ReadonlyMap<string, number> {
  const now = clock.now();
  const answered = now + (settings.WEBHOOK_TIMEOUT_SECONDS + 1) * 1_000;
  return new Map(
    Array.from(next, ([endpointId, at]) => {
      const due = running.has(endpointId) ? Math.min(at.getTime(), answered) : at.getTime();
      const earliest = Math.max(pausedUntil.get(endpointId) ?? 0, moved.has(endpointId) ? 0 : now + IDLE_MS);
      return [endpointId, Math.max(0, Math.ceil((Math.max(due, earliest) - now) / 1_000))];
    }),
  );
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

/** Makes the next attempt, unless it is taken: another caller makes it. If that one crashes, the delivery is free after the lease. */
async function attemptOnce(services: Services, delivery: DueDelivery): Promise<'made' | 'taken'> {
  const { db, clock, log, settings } = services;
  const attempt = await startAttempt(db, delivery, leaseMsOf(services), rulesOf(services));
  if (attempt === undefined) return 'taken';
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
  return 'made';
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
