import { Webhook } from 'standardwebhooks';
import type { Services } from '../services.ts';
import { beginAttempts, endAttempts } from './attempts.ts';
import type { Attempt, AttemptEnd } from './attempts.ts';
import { targetFault } from './target.ts';

/** Specification, Events 5: five attempts, each pause twice as long as the one before. */
export const MAX_ATTEMPTS = 5;
const TIMEOUT_MS = 15_000;
/** Room for what surrounds the request: until then nobody else begins an attempt of the same event. */
const LEASE_MS = TIMEOUT_MS + 15_000;
/** A Worker may have six requests at once waiting for their response headers. */
const AT_ONCE = 6;

/** What is to become of an event's message. */
export type DeliveryVerdict = { readonly done: true } | { readonly done: false; readonly retryAfterSeconds: number };

/**
 * Makes one attempt for each of these events that is due. May be called for the same event at any time: an attempt is
 * begun in the database first, so that two callers never make the same one.
 */
export async function deliver(
  services: Services,
  eventIds: readonly string[],
): Promise<ReadonlyMap<string, DeliveryVerdict>> {
  const verdicts = new Map<string, DeliveryVerdict>(eventIds.map((id) => [id, { done: true }]));
  const { begun, early } = await beginAttempts(services, eventIds, LEASE_MS, MAX_ATTEMPTS);
  for (const { eventId, seconds } of early) verdicts.set(eventId, { done: false, retryAfterSeconds: seconds });

  const queue = [...begun];
  const work = async () => {
    for (let attempt = queue.shift(); attempt !== undefined; attempt = queue.shift()) {
      const end = await makeAttempt(services, attempt);
      await endAttempts(services, [end]);
      if (end.status === 'RETRYING') {
        verdicts.set(attempt.eventId, { done: false, retryAfterSeconds: end.retryAfterSeconds });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return verdicts;
}

async function makeAttempt(services: Services, attempt: Attempt): Promise<AttemptEnd> {
  const { settings, log } = services;
  const target = attempt.webhookUrl ?? settings.WEBHOOK_URL;
  if (target === undefined) return { attempt, status: 'SKIPPED' };
  const retryAfterSeconds = settings.WEBHOOK_RETRY_BASE_SECONDS * 2 ** (attempt.number - 1);
  const answer = await post(services, attempt, target);
  const status = statusAfter(answer, attempt.number);
  log.info('webhook.attempted', {
    eventId: attempt.eventId,
    eventType: attempt.type,
    orderId: attempt.relatedOrderId,
    accountId: attempt.accountId,
    attempt: attempt.number,
    status,
    ...answer,
  });
  return { attempt, status, target, retryAfterSeconds, ...answer };
}

type Answer = { readonly responseStatusCode?: number; readonly errorMessage?: string; readonly final: boolean };

function statusAfter({ responseStatusCode, final }: Answer, attempt: number): 'SUCCESS' | 'FAILED' | 'RETRYING' {
  if (responseStatusCode !== undefined && responseStatusCode >= 200 && responseStatusCode < 300) return 'SUCCESS';
  return final || attempt >= MAX_ATTEMPTS ? 'FAILED' : 'RETRYING';
}

/** Sends the frozen body, signed for this moment. Nothing of the reply but its status is read. */
async function post(services: Services, attempt: Attempt, target: string): Promise<Answer> {
  const fault = targetFault(target, services.settings.WEBHOOK_ALLOW_PRIVATE_TARGETS);
  if (fault !== undefined) return { errorMessage: `The webhook URL ${fault}`, final: true };
  const id = `evt_${attempt.eventId}`;
  const at = new Date(services.clock.now());
  try {
    const reply = await fetch(target, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'nft-issuance-service',
        'webhook-id': id,
        'webhook-timestamp': Math.floor(at.getTime() / 1_000).toString(),
        'webhook-signature': new Webhook(attempt.webhookSecret).sign(id, at, attempt.payload),
      },
      body: attempt.payload,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await reply.body?.cancel();
    // 5xx is worth another try; any other refusal, a redirect included, will be the same next time.
    return { responseStatusCode: reply.status, final: reply.status < 500 };
  } catch (error) {
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    return { errorMessage: timedOut ? 'No answer within 15 seconds' : 'The connection failed', final: false };
  }
}
