import type { Services } from '../services.ts';

/**
 * Queues deliveries, one message each. Call it after the commit. It never throws: the cleanup job finds stored deliveries whose message was
 * lost.
 */
export async function queueDeliveries(
  { queues, log }: Pick<Services, 'queues' | 'log'>,
  ids: readonly string[],
): Promise<void> {
  try {
    await queues.deliver(ids);
  } catch (error) {
    log.error('webhook.not_queued', { deliveries: ids.length, error });
  }
}
