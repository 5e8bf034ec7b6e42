import type { AnyOrderKind } from './order-kind.ts';
import type { Services } from '../services.ts';
import { laneName, type WalletLane } from './wallet-lane.ts';

/**
 * Wakes the lanes of accepted orders with one message per lane on the kind's queue. Call it after the commit. It never throws: an accepted
 * order stays accepted, and the cleanup job finds lanes whose message was lost.
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
