import { waitUntil } from 'cloudflare:workers';
import type { Log } from '../core/log.ts';
import type { Lanes } from '../platform/lanes.ts';
import type { Queues } from '../platform/queues.ts';
import type { AnyOrderKind } from './order-kind.ts';
import { laneName, type WalletLane } from './wallet-lane.ts';

/** What waking lanes needs. */
interface Wakers {
  readonly lanes: Lanes;
  readonly queues: Pick<Queues, 'wakeLanes'>;
  readonly log: Log;
}

/**
 * Wakes the lanes of accepted orders, once each. Call it after the commit: nobody waits for it, and it goes on if the
 * caller has hung up. A lane that does not answer gets a message on the kind's queue, which is delivered until it does;
 * the cleanup job finds those whose message is lost.
 */
export function wakeLanes(
  services: Wakers,
  { queue }: Pick<AnyOrderKind, 'queue'>,
  lanes: readonly WalletLane[],
): void {
  const unique = new Map(
    lanes.map(({ chainId, walletAddress }) => [laneName({ chainId, walletAddress }), { chainId, walletAddress }]),
  );
  for (const [name, lane] of unique) waitUntil(wake(services, queue, name, lane));
}

async function wake(
  { lanes, queues, log }: Wakers,
  queue: AnyOrderKind['queue'],
  name: string,
  lane: WalletLane,
): Promise<void> {
  try {
    await lanes.getByName(name).wake();
  } catch (error) {
    log.warn('lane.not_woken', { lane: name, error });
    try {
      await queues.wakeLanes(queue, [lane]);
    } catch (failure) {
      log.error('lane.wake_not_sent', { lane: name, error: failure });
    }
  }
}
