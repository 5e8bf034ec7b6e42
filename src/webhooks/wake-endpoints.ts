import type { Services } from '../services.ts';

/**
 * Has the due deliveries of these endpoints made, with one message for each endpoint. Call it after the commit. It never throws: the cleanup
 * job finds deliveries whose message was lost.
 */
export async function wakeEndpoints(
  { queues, log }: Pick<Services, 'queues' | 'log'>,
  endpointIds: readonly string[],
): Promise<void> {
  try {
    await queues.wakeEndpoints(endpointIds);
  } catch (error) {
    log.error('webhook.not_queued', { endpoints: endpointIds.length, error });
  }
}
