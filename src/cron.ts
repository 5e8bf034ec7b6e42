import { idleLanes } from './engine/store/idle-lanes.ts';
import { orderKinds } from './orders/kinds.ts';
import { removeExpiredKeys } from './platform/database/idempotency-keys.ts';
import type { Services } from './services.ts';
import { encryptSecrets } from './webhooks/encrypt-secrets.ts';
import { overdueDeliveries } from './webhooks/events.store.ts';

const MINUTE_MS = 60_000;
/** How many deliveries one run sends out again; the next run goes on with others. */
const DELIVERIES_AT_ONCE = 5_000;

/**
 * The cleanup job: wakes the lanes and sends out the deliveries that no message reaches any more, and removes keys that have
 * expired, and encrypts stored secrets with the newest key. Waking what is awake does no harm. Each part is done whatever becomes of the others.
 * @param scheduledTime When the run was due, in milliseconds since the epoch: idleness is counted from then.
 * @throws {Error} that says nothing of the reason: the platform logs it as it is, and the reason is in our own log.
 */
export async function cleanUp(services: Services, scheduledTime: number): Promise<void> {
  const { log } = services;
  const parts = {
    lanes: wakeIdleLanes,
    deliveries: sendOverdueDeliveries,
    keys: removeKeys,
    secrets: encryptWebhookSecrets,
  };
  const results = await Promise.all(
    Object.entries(parts).map(async ([part, run]) => {
      try {
        return await run(services, scheduledTime);
      } catch (error) {
        log.error('cleanup.failed', { part, error });
        return undefined;
      }
    }),
  );
  log.info('cleanup.done', Object.assign({}, ...results));
  if (results.includes(undefined)) throw new Error('The cleanup job failed: see cleanup.failed');
}

/** A lane that is overdue should have been driven by its own alarm; one with unconfirmed finality is only looked at again. */
async function wakeIdleLanes({ db, clock, queues, log }: Services, scheduledTime: number) {
  const lanes = await idleLanes(db, orderKinds, new Date(scheduledTime), new Date(clock.now()));
  const overdue = lanes.filter(({ isOverdue }) => isOverdue);
  for (const { chainId, walletAddress } of overdue) log.warn('lane.overdue', { chainId, walletAddress });
  const byQueue = Map.groupBy(lanes, ({ queue }) => queue);
  const sent = await Promise.allSettled(
    Array.from(byQueue, ([queue, own]) =>
      queues.wakeLanes(
        queue,
        own.map(({ chainId, walletAddress }) => ({ chainId, walletAddress })),
      ),
    ),
  );
  for (const result of sent) if (result.status === 'rejected') throw result.reason;
  return { lanes: lanes.length, overdueLanes: overdue.length };
}

async function sendOverdueDeliveries({ db, clock, queues }: Services, scheduledTime: number) {
  const before = new Date(scheduledTime - 5 * MINUTE_MS);
  const deliveries = await overdueDeliveries(db, before, DELIVERIES_AT_ONCE, new Date(clock.now()));
  await queues.deliver(deliveries);
  return { deliveries: deliveries.length };
}

async function removeKeys({ db }: Services, scheduledTime: number) {
  return { expiredKeys: await removeExpiredKeys(db, new Date(scheduledTime)) };
}

async function encryptWebhookSecrets(services: Services) {
  return { encryptedSecrets: await encryptSecrets(services, new Date(services.clock.now())) };
}
