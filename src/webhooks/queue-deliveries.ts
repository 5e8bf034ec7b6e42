import type { Services } from '../services.ts';

/**
 * Has deliveries made: one message each. Call it after the commit. It never throws: what is stored stays stored, and the cleanup job finds the
 * deliveries that no message reached.
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
