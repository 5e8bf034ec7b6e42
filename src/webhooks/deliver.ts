import { waitUntil } from 'cloudflare:workers';
import { decryptWebhookSecret } from '../accounts/webhook-secret.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { EpochMs } from '../core/epoch-ms.ts';
import { traceIdOf } from '../core/trace.ts';
import { within } from '../core/within.ts';
import type { Services } from '../services.ts';
import {
  dueDeliveries,
  endAttempt,
  nextAttempts,
  returnAttempt,
  sortDeliveries,
  startAttempt,
  type Attempt,
  type AttemptOutcome,
  type DueDelivery,
} from './attempts.store.ts';
import { eventIdOf } from './delivery-reply.ts';
import { MAX_ATTEMPTS } from './event.ts';
import { Slots } from './slots.ts';
import { isDelivered, send, type SendResult } from './send.ts';
import { rotated, roundRobin } from './round-robin.ts';

/** The part of an attempt's lease for the statements around its request. */
const LEASE_MARGIN_MS = 10_000;
/** The most deliveries that a call takes, the same number of each endpoint. */
const MAX_TAKEN = 100;
/**
 * A call starts no attempt later, so that others wait neither for an endpoint with many deliveries nor for one that
 * takes its time.
 */
const START_WITHIN_MS = 500;
/** A call waits no longer for what it has started. */
const END_WITHIN_MS = 3_000;
/** When an endpoint for which nothing could be done is tried again, at the earliest. */
const IDLE_MS = 1_000;
/** A Worker may have six requests waiting for response headers at once. One is left for the database. */
const MAX_REQUESTS = 5;
/** How long an attempt waits for a request. Then it is returned: targets that do not answer have them all. */
const REQUEST_WITHIN_MS = 1_000;
/**
 * Attempts that may be started and not answered: while requests are answered, the next attempts are recorded in the
 * database.
 */
const MAX_CONCURRENT = 10;
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
 * Target -> when this Worker instance may send to it again. A slow target is paused while an attempt to it may still be
 * running: one that never answers blocks two requests at a time and no other target's events.
 */
const slowUntil = new BoundedMap<string, EpochMs>(SLOW_TARGETS);

/**
 * Attempts the due deliveries of these endpoints, longest overdue first, as many as can be started within half a
 * second. Safe to call concurrently for the same endpoint: an attempt is recorded in the database first, so two callers
 * never make the same one. A caller that meets another one goes on at a random place of the endpoint's deliveries, so
 * that together they waste few statements.
 *
 * Accounts take turns, and so do the targets of an account; which of them begins is random. This does not wait for slow
 * targets, nor longer than three seconds for anything else: running attempts continue (`waitUntil`).
 * @returns endpoint -> the seconds after which it is to be called for it again; without those that have no unfinished
 *   deliveries.
 */
export async function deliver(
  services: Services,
  endpointIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { db } = services;
  const rules = rulesOf(services);
  const perEndpoint = Math.max(1, Math.floor(MAX_TAKEN / endpointIds.length));
  const taken = await dueDeliveries(db, endpointIds, perEndpoint, rules);
  const others = taken.filter(({ first }) => first === undefined).map(({ id }) => id);
  const due = taken.flatMap(({ first }) => first ?? []);
  if (others.length > 0) due.push(...(await sortDeliveries(db, others, rules)));
  const oldestFirst = due.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const round = await attemptInTurn(services, oldestFirst);
  const left = new Set(round.waiting);
  const moved = new Set(taken.filter(({ id }) => !left.has(id)).map(({ endpointId }) => endpointId));
  return delaysOf(services, await nextAttempts(db, endpointIds), { ...round, moved });
}

/** Callbacks of an attempt before it has ended. */
interface Progress {
  /** The target has answered, or was not asked. */
  readonly onAnswer: () => void;
  /** The target takes long. */
  readonly onSlow: () => void;
}

interface Round {
  /** The ids of deliveries without an attempt. */
  readonly waiting: readonly string[];
  /** Endpoint -> when it may be sent to again. */
  readonly pausedUntil: ReadonlyMap<string, EpochMs>;
  /** Endpoint of a running attempt -> when to look at it again. */
  readonly running: ReadonlyMap<string, EpochMs>;
}

/** Makes one attempt for each delivery, as many as can be started in time. */
async function attemptInTurn(services: Services, due: readonly DueDelivery[]): Promise<Round> {
  const { clock } = services;
  const startUntil = clock.now() + START_WITHIN_MS;
  const endUntil = clock.now() + END_WITHIN_MS;
  let waiting = roundRobin(due, [({ accountId }) => accountId, ({ target }) => target]);
  const unanswered = new Set<DueDelivery>();
  const running = new Set<DueDelivery>();
  const pausedUntil = new Map<string, EpochMs>();
  const unansweredOf = (key: 'target' | 'accountId', delivery: DueDelivery) =>
    [...unanswered].filter((other) => other[key] === delivery[key]).length;
  const mayStart = (delivery: DueDelivery) =>
    (slowUntil.get(delivery.target) ?? 0) <= clock.now() &&
    unansweredOf('target', delivery) < MAX_CONCURRENT_PER_TARGET &&
    unansweredOf('accountId', delivery) < MAX_CONCURRENT_PER_ACCOUNT;

  const untouched: DueDelivery[] = [];
  const collisions = new Map<string, number>();
  const leaveToOthers = (delivery: DueDelivery) => {
    const { endpointId } = delivery;
    const count = (collisions.get(endpointId) ?? 0) + 1;
    collisions.set(endpointId, count);
    untouched.push(delivery);
    const isOwn = (other: DueDelivery) => other.endpointId === endpointId;
    const own = waiting.filter(isOwn);
    if (count < MAX_COLLISIONS) {
      const turned = rotated(own);
      waiting = waiting.map((other) => (isOwn(other) ? (turned.shift() ?? other) : other));
    } else {
      untouched.push(...own);
      waiting = waiting.filter((other) => !isOwn(other));
    }
  };

  const slots = new Slots(MAX_REQUESTS);
  const attempt = async (delivery: DueDelivery, progress: Progress) => {
    const result = await attemptOnce(services, delivery, slots, progress).catch((error: unknown) => {
      services.log.error('webhook.attempt_failed', { deliveryId: delivery.id, error });
      return 'failed' as const;
    });
    unanswered.delete(delivery);
    running.delete(delivery);
    if (result === 'taken') leaveToOthers(delivery);
    else collisions.delete(delivery.endpointId);
    if (result === 'returned') untouched.push(delivery);
    if (result === 'failed') pausedUntil.set(delivery.endpointId, clock.now() + leaseMsOf(services));
  };

  const answers = new Set<Promise<void>>();
  const ends = new Set<Promise<void>>();
  for (;;) {
    const mayStartMore = waiting.length > 0 && clock.now() <= startUntil;
    const index = mayStartMore && unanswered.size < MAX_CONCURRENT ? waiting.findIndex(mayStart) : -1;
    const [delivery] = index < 0 ? [] : waiting.splice(index, 1);
    if (delivery !== undefined) {
      unanswered.add(delivery);
      running.add(delivery);
      const answered = Promise.withResolvers<void>();
      const slow = Promise.withResolvers<void>();
      const run = attempt(delivery, {
        onAnswer() {
          unanswered.delete(delivery);
          answered.resolve();
        },
        onSlow: slow.resolve,
      });
      waitUntil(run);
      addUntilSettled(ends, Promise.race([run, slow.promise]));
      addUntilSettled(answers, Promise.race([run, slow.promise, answered.promise]));
    } else if (mayStartMore && answers.size > 0) {
      await within(endUntil - clock.now(), Promise.race(answers));
    } else {
      break;
    }
  }
  await within(Math.max(0, endUntil - clock.now()), Promise.all(ends));
  const now = clock.now();
  for (const { endpointId, target } of [...waiting, ...running]) {
    const until = Math.max(pausedUntil.get(endpointId) ?? 0, slowUntil.get(target) ?? 0);
    pausedUntil.set(endpointId, until);
  }
  const lookAt = ({ target }: DueDelivery) => Math.max(now, slowUntil.get(target) ?? 0) + SLOW_AFTER_MS;
  return {
    waiting: [...waiting, ...untouched].map(({ id }) => id),
    pausedUntil,
    running: new Map(Array.from(running, (delivery) => [delivery.endpointId, lookAt(delivery)])),
  };
}

function addUntilSettled(promises: Set<Promise<void>>, promise: Promise<void>): void {
  const settled: Promise<void> = promise.finally(() => promises.delete(settled));
  promises.add(settled);
}

/**
 * @returns endpoint -> seconds until it is to be tried again. An endpoint for which nothing was done is not tried again
 * at once.
 */
function delaysOf(
  { clock }: Services,
  next: ReadonlyMap<string, Date>,
  { pausedUntil, running, moved }: Round & { readonly moved: ReadonlySet<string> },
): ReadonlyMap<string, number> {
  const now = clock.now();
  return new Map(
    Array.from(next, ([endpointId, at]) => {
      const due = Math.min(at.getTime(), running.get(endpointId) ?? Infinity);
      const earliest = Math.max(pausedUntil.get(endpointId) ?? 0, moved.has(endpointId) ? 0 : now + IDLE_MS);
      return [endpointId, Math.max(0, Math.ceil((Math.max(due, earliest) - now) / 1_000))];
    }),
  );
}

/**
 * Remembers whether a target is slow.
 * @param sent Resolves when its request has ended.
 */
async function watchPace(
  { clock, settings }: Services,
  target: string,
  sent: Promise<unknown>,
  { onSlow }: Progress,
): Promise<void> {
  if ((await within(SLOW_AFTER_MS, sent)) === undefined) {
    slowUntil.set(target, clock.now() + settings.WEBHOOK_TIMEOUT_SECONDS * 1_000);
    onSlow();
  } else {
    slowUntil.delete(target);
  }
}

/**
 * Makes the next attempt, unless it is taken: another caller makes it. If that one crashes, the delivery is free after
 * the lease. An attempt whose request finds no place is returned: it has not been made.
 */
async function attemptOnce(
  services: Services,
  delivery: DueDelivery,
  slots: Slots,
  progress: Progress,
): Promise<'made' | 'taken' | 'returned'> {
  const { db, clock, log, settings } = services;
  const attempt = await startAttempt(db, delivery, leaseMsOf(services), rulesOf(services));
  if (attempt === undefined) return 'taken';
  if (!(await slots.acquire(REQUEST_WITHIN_MS))) {
    await returnAttempt(db, attempt, new Date(clock.now()));
    log.info('webhook.attempt_returned', { deliveryId: attempt.id, accountId: attempt.accountId });
    return 'returned';
  }
  const sent = sendTo(services, attempt).finally(() => slots.release());
  const [result] = await Promise.all([sent, watchPace(services, attempt.target, sent, progress)]);
  progress.onAnswer();
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
    ...(attempt.trace === null ? {} : { traceId: traceIdOf(attempt.trace) }),
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
  const { eventId, endpointId, payload, storedSecrets, trace } = attempt;
  const [newest, ...former] = storedSecrets;
  try {
    const decrypt = (stored: string) => decryptWebhookSecret(encryption, endpointId, stored);
    const secrets = [await decrypt(newest), ...(await Promise.all(former.map(decrypt)))] as const;
    const message = { id: eventIdOf(eventId), at: new Date(clock.now()), payload, secrets, trace };
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
  return REQUEST_WITHIN_MS + settings.WEBHOOK_TIMEOUT_SECONDS * 1_000 + LEASE_MARGIN_MS;
}

function rulesOf({ clock, settings }: Services) {
  return { now: new Date(clock.now()), defaultTarget: settings.WEBHOOK_URL };
}
