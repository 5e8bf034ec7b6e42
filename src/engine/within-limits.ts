import { runBatch } from '../platform/database/client.ts';
import { isAborted } from '../platform/database/errors.ts';
import type { TenantServices } from '../services.ts';
import { endpointsOf } from '../webhooks/events.store.ts';
import { wakeEndpoints } from '../webhooks/wake-endpoints.ts';
import type { ReachedLimit } from './account-limits.ts';
import { refusalOf } from './limits.store.ts';
import { insertLimitNotice } from './store/notices.ts';

type Dependencies = Pick<TenantServices, 'db' | 'clock' | 'log' | 'queues'>;

/**
 * Runs a batch that accepts orders, and stores `limit.reached` if the account's limits refuse some: one more round trip
 * for the first refusal of a window, and none for the others.
 * @throws {LimitExceeded} if a limit of the account refuses an order; nothing of the batch is stored.
 */
export async function withinLimits<Result>(services: Dependencies, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const now = new Date(services.clock.now());
    if (isAborted(error, 'limits_set')) {
      services.db.isLimited = true;
      return await withinLimits(services, run);
    }
    const refusal = refusalOf(error, now);
    if (refusal === undefined) throw error;
    await notify(services, refusal.unnotified, now);
    throw refusal;
  }
}

/** Never throws: the caller gets the refusal, with its notice or without. */
async function notify(services: Dependencies, reached: readonly ReachedLimit[], now: Date): Promise<void> {
  const { db, log } = services;
  if (reached.length === 0) return;
  try {
    const notices = reached.map((each) => insertLimitNotice(db, db.accountId, each, null, now));
    const stored = await runBatch(db, { notices });
    wakeEndpoints(services, stored.notices.flatMap(endpointsOf));
  } catch (error) {
    log.error('limit.not_notified', { limits: reached.map(({ limit }) => limit), error });
  }
}
