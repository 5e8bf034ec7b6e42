import type { AnyOrderKind } from './order-kind.ts';
import type { Services } from '../services.ts';
import { laneName } from './wallet-lane.ts';
import type { WalletLane } from './wallet-lane.ts';

/**
 * Wakes the lanes of accepted orders: one message a lane, on the queue of the kind. Call it after the commit. It never throws: an order
 * that is accepted stays accepted, and the cleanup job finds the lanes that no message reached.
 */
export async function wakeLanes(
  { queues, log }: Pick<Services, 'queues' | 'log'>,
  { queue }: Pick<AnyOrderKind, 'queue'>,
  lanes: readonly WalletLane[],
): Promise<void> {
  const unique = new Map(
    lanes.map(({ chainId, walletAddress }) => {
      const lane = { chainId, walletAddress };
      return [laneName(lane), lane];
    }),
  );
  try {
    await queues.wakeLanes(queue, [...unique.values()]);
  } catch (error) {
    log.error('lanes.wake_not_sent', { queue, lanes: unique.size, error });
  }
}
