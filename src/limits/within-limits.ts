import { runBatch } from '../platform/database/client.ts';
import { isAborted } from '../platform/database/errors.ts';
import type { Account } from '../accounts/account.ts';
import type { TenantServices } from '../services.ts';
import { endpointsOf } from '../webhooks/events.store.ts';
import { wakeEndpoints } from '../webhooks/wake-endpoints.ts';
import type { ReachedLimit } from '../engine/standing.ts';
import { parseLimitRefusal, type AcceptingDb } from './limits.store.ts';
import { insertLimitNotice } from './limit-notices.store.ts';

type Dependencies = Pick<TenantServices, 'db' | 'clock' | 'log' | 'queues'> & {
  readonly account: Pick<Account, 'isLimited'>;
};

/**
 * Runs a batch that accepts orders, and stores `limit.reached` if the account's limits refuse some: one more round trip
 * for the first refusal of a window, and none for the others. An account that has got limits since its request began
 * takes one more too.
 * @throws {LimitExceeded} if a limit of the account refuses an order; nothing of the batch is stored.
 */
export async function withinLimits<Result>(
  services: Dependencies,
  run: (db: AcceptingDb) => Promise<Result>,
): Promise<Result> {
  const { db, account } = services;
  try {
    return await run({ ...db, isLimited: account.isLimited });
  } catch (error) {
    if (isAborted(error, 'limits_set')) return await withinLimits({ ...services, account: { isLimited: true } }, run);
    const now = new Date(services.clock.now());
    const refusal = parseLimitRefusal(error, now);
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
