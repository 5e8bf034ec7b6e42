import type { EpochMs } from './core/epoch-ms.ts';
import { idleLanes } from './engine/store/idle-lanes.ts';
import { overdueImports } from './imports/work.store.ts';
import { endOldImports, removeOldChunks, removeOldImports } from './imports/retention.store.ts';
import { orderKinds } from './orders/kinds.ts';
import { removeExpiredKeys } from './platform/database/idempotency-keys.ts';
import { inBatches } from './platform/database/in-batches.ts';
import type { Services } from './services.ts';
import { encryptReplies, encryptSecrets } from './webhooks/encrypt-again.ts';
import { overdueEndpoints } from './webhooks/events.store.ts';
import { emptyOldBodies, removeOldEvents, removeOldLogs } from './webhooks/retention.store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The most endpoints that one run wakes for deliveries. */
const MAX_ENDPOINTS = 5_000;
/** The most imports that one run sends again. */
const MAX_IMPORTS = 1_000;
/** How long an import is kept once nobody has changed it, and a file that broke off. */
const IMPORT_DAYS = 30;
const UPLOAD_HOURS = 1;
/**
 * How long a run removes rows, in milliseconds: the next one begins after ten minutes, and the platform ends one after
 * fifteen.
 */
const REMOVAL_MS = 8 * MINUTE_MS;

/**
 * The cleanup job: wakes lanes, and sends deliveries and imports, whose queue message was lost, removes what is older
 * than its retention, and encrypts stored secrets with the newest key. Waking an active lane does no harm. A part that
 * fails does not stop the others.
 * @param scheduledTime When the run was due; idleness is measured against it.
 * @throws {Error} without the cause, because the platform logs it unredacted; the cause is in the service's own log.
 */
export async function cleanUp(services: Services, scheduledTime: EpochMs): Promise<void> {
  const { log } = services;
  const parts = {
    lanes: wakeIdleLanes,
    deliveries: sendOverdueDeliveries,
    imports: sendOverdueImports,
    keys: removeKeys,
    events: removeOldWebhookRows,
    files: removeOldImportRows,
    secrets: encryptStoredSecrets,
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

/** An overdue lane should have been driven by its own alarm and is logged; one that only awaits finality is not. */
async function wakeIdleLanes({ db, clock, queues, log }: Services, scheduledTime: EpochMs) {
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

async function sendOverdueDeliveries({ db, queues }: Services, scheduledTime: EpochMs) {
  const before = new Date(scheduledTime - 5 * MINUTE_MS);
  const endpointIds = await overdueEndpoints(db, before, MAX_ENDPOINTS);
  await queues.wakeEndpoints(endpointIds);
  return { endpoints: endpointIds.length };
}

async function sendOverdueImports({ db, queues }: Services, scheduledTime: EpochMs) {
  const ids = await overdueImports(db, new Date(scheduledTime - 5 * MINUTE_MS), MAX_IMPORTS);
  await queues.wakeImports(new Map(ids.map((id) => [id, 0])));
  return { imports: ids.length };
}

async function removeOldImportRows({ db, clock }: Services, scheduledTime: EpochMs) {
  const before = {
    ended: new Date(scheduledTime - IMPORT_DAYS * DAY_MS),
    brokenOff: new Date(scheduledTime - UPLOAD_HOURS * HOUR_MS),
  };
  return await inBatches(
    {
      endedImports: (limit) => endOldImports(db, before, limit),
      oldImportChunks: (limit) => removeOldChunks(db, before, limit),
      oldImports: (limit) => removeOldImports(db, before, limit),
    },
    removalDeadline(clock),
  );
}

async function removeKeys({ db, clock, settings }: Services, scheduledTime: EpochMs) {
  const before = new Date(scheduledTime - settings.IDEMPOTENCY_HOURS * HOUR_MS);
  return await inBatches({ expiredKeys: (limit) => removeExpiredKeys(db, before, limit) }, removalDeadline(clock));
}

async function removeOldWebhookRows({ db, clock, settings }: Services, scheduledTime: EpochMs) {
  const daysAgo = (days: number) => new Date(scheduledTime - days * DAY_MS);
  const { EVENT_RETENTION_DAYS, WEBHOOK_LOG_RETENTION_DAYS, WEBHOOK_BODY_RETENTION_DAYS } = settings;
  return await inBatches(
    {
      oldEvents: (limit) => removeOldEvents(db, daysAgo(EVENT_RETENTION_DAYS), limit),
      oldLogs: (limit) => removeOldLogs(db, daysAgo(WEBHOOK_LOG_RETENTION_DAYS), limit),
      oldBodies: (limit) => emptyOldBodies(db, daysAgo(WEBHOOK_BODY_RETENTION_DAYS), limit),
    },
    removalDeadline(clock),
  );
}

/** Whether rows have been removed for long enough. */
function removalDeadline(clock: Services['clock']): () => boolean {
  const until = clock.now() + REMOVAL_MS;
  return () => clock.now() >= until;
}

async function encryptStoredSecrets(services: Services) {
  const secrets = await encryptSecrets(services, new Date(services.clock.now()));
  const replies = await encryptReplies(services);
  return { encryptedSecrets: secrets.changed + replies.changed, secretsOfFormerKeys: secrets.left + replies.left };
}
