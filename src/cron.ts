import { removeExpiredKeys } from './db/idempotency-keys.ts';
import { idleDeployments } from './features/contracts/contracts.ts';
import { idleOrders } from './features/minting/orders.ts';
import { idleTransfers } from './features/transfer/transfers.ts';
import { idleOwnershipTransfers } from './features/contracts/ownership-transfers.ts';
import type { OrderStatus } from './db/schema.ts';
import type { QueueMessage } from './queue/messages.ts';
import type { Services } from './services.ts';
import { repairNonces } from './transactions/repair-nonces.ts';
import { idleWallets, unfinishedFills } from './transactions/transactions.ts';
import { overdueEvents } from './webhooks/events.ts';

const MINUTE_MS = 60_000;
/** How much one run wakes of each kind; the next run goes on. */
const AT_ONCE = 5_000;

/**
 * The cleanup job: wakes what no message reaches any more, and sets nonces right. Waking work that is awake does no harm.
 * @param scheduledTime When the run was due, in milliseconds since the epoch: idleness is counted from then.
 */
export async function cleanUp(services: Services, scheduledTime: number): Promise<void> {
  const { db, queues, log } = services;
  const minutesAgo = (minutes: number) => new Date(scheduledTime - minutes * MINUTE_MS);

  // Specification, Limits: PENDING mints after 5 minutes, deployments after 10. What is under way gets 10 as well.
  const idleOf = async (idle: (statuses: OrderStatus[], before: Date, limit: number) => Promise<string[]>) => {
    const found = [idle(['PENDING'], minutesAgo(5), AT_ONCE), idle(['PROCESSING', 'SENT'], minutesAgo(10), AT_ONCE)];
    return (await Promise.all(found)).flat();
  };
  const [mints, relayedMints, transfers, deployments, handOvers, fills, events, wallets] = await Promise.all([
    idleOf((...idle) => idleOrders(db, 'direct', ...idle)),
    idleOf((...idle) => idleOrders(db, 'relay', ...idle)),
    idleOf((...idle) => idleTransfers(db, ...idle)),
    idleDeployments(db, minutesAgo(10), AT_ONCE),
    idleOwnershipTransfers(db, ['PENDING', 'PROCESSING', 'SENT'], minutesAgo(10), AT_ONCE),
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

  await queues.send([
    ...wake('mint', mints),
    ...wake('relay-mint', relayedMints),
    ...wake('transfer', transfers),
    ...wake('deploy', deployments),
    ...wake('transfer-ownership', handOvers),
    ...wake('fill', [...fills, ...made]),
    ...wake('webhook', events),
  ]);
  log.info('cleanup.done', {
    mints: mints.length + relayedMints.length,
    transfers: transfers.length,
    deployments: deployments.length,
    handOvers: handOvers.length,
    fills: fills.length + made.length,
    events: events.length,
    wallets: wallets.length,
    expiredKeys,
  });
}

function wake(kind: QueueMessage['kind'], ids: readonly string[]): QueueMessage[] {
  return ids.map((id) => ({ kind, id }));
}
