import { removeExpiredKeys } from './platform/database/idempotency-keys.ts';
import { idleOrders } from './platform/database/order-table.ts';
import type { Narrowing, OrderTable } from './platform/database/order-table.ts';
import { mintingOrders, ownershipTransfers, transferOrders } from './platform/database/schema.ts';
import { idleLanes } from './engine/store/idle-lanes.ts';
import { orderKinds } from './orders/kinds.ts';
import { idleDeployments } from './catalog/contracts/contracts.store.ts';
import { ofMode } from './orders/mint/minting-orders.store.ts';
import type { IdMessage } from './platform/queues/messages.ts';
import type { Services } from './services.ts';
import { repairNonces } from './transactions/repair-nonces.ts';
import { idleWallets, unfinishedFills } from './transactions/transactions.store.ts';
import { overdueEvents } from './webhooks/events.store.ts';

const MINUTE_MS = 60_000;
/** How much one run wakes of each kind; the next run goes on. */
const AT_ONCE = 5_000;

/**
 * The cleanup job: wakes what no message reaches any more, and sets nonces right. Waking work that is awake does no harm.
 * @param scheduledTime When the run was due, in milliseconds since the epoch: idleness is counted from then.
 * @throws {Error} that says nothing of the reason: the platform logs it as it is, and the reason is in our own log.
 */
export async function cleanUp(services: Services, scheduledTime: number): Promise<void> {
  try {
    await wakeWhatIsIdle(services, scheduledTime);
  } catch (error) {
    services.log.error('cleanup.failed', { error });
    // oxlint-disable-next-line eslint/preserve-caught-error -- the platform would log the cause unredacted
    throw new Error('The cleanup job failed: see cleanup.failed');
  }
}

async function wakeWhatIsIdle(services: Services, scheduledTime: number): Promise<void> {
  const { db, queues, log } = services;
  const minutesAgo = (minutes: number) => new Date(scheduledTime - minutes * MINUTE_MS);

  // Specification, Limits: PENDING mints after 5 minutes, deployments after 10. What is under way gets 10 as well.
  const idle = async (table: OrderTable, also?: Narrowing) => [
    ...(await idleOrders(db, table, ['PENDING'], minutesAgo(5), AT_ONCE, also)),
    ...(await idleOrders(db, table, ['PROCESSING', 'SENT'], minutesAgo(10), AT_ONCE, also)),
  ];
  const [lanes, relayedMints, transfers, deployments, handOvers, fills, events, wallets] = await Promise.all([
    idleLanes(db, orderKinds, new Date(scheduledTime)),
    idle(mintingOrders, ofMode('relay')),
    idle(transferOrders),
    idleDeployments(db, minutesAgo(10), AT_ONCE),
    idle(ownershipTransfers),
    unfinishedFills(db, { before: minutesAgo(10) }),
    overdueEvents(db, minutesAgo(5), AT_ONCE),
    idleWallets(db, minutesAgo(10)),
  ]);
  const expiredKeys = await removeExpiredKeys(db, new Date(scheduledTime));
  const made: string[] = [];
  for (const wallet of wallets) {
    try {
      made.push(...(await repairNonces(services, wallet, new Date(services.clock.now()))));
    } catch (error) {
      log.error('cleanup.wallet_failed', { ...wallet, error });
    }
  }

  for (const [queue, own] of Map.groupBy(lanes, (lane) => lane.queue))
    await queues.wake(
      queue,
      own.map(({ chainId, walletAddress }) => ({ chainId, walletAddress })),
    );
  await queues.send([
    ...wake('relay-mint', relayedMints),
    ...wake('transfer', transfers),
    ...wake('deploy', deployments),
    ...wake('transfer-ownership', handOvers),
    ...wake('fill', [...fills, ...made]),
    ...wake('webhook', events),
  ]);
  log.info('cleanup.done', {
    lanes: lanes.length,
    mints: relayedMints.length,
    transfers: transfers.length,
    deployments: deployments.length,
    handOvers: handOvers.length,
    fills: fills.length + made.length,
    events: events.length,
    wallets: wallets.length,
    expiredKeys,
  });
}

function wake(kind: IdMessage['kind'], ids: readonly string[]): IdMessage[] {
  return ids.map((id) => ({ kind, id }));
}
