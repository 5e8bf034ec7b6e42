import { waitUntil } from 'cloudflare:workers';
import type { Services } from '../services.ts';

/**
 * Has the due deliveries of these endpoints made, with one message for each endpoint. Call it after the commit: nobody
 * waits for it. The cleanup job finds deliveries whose message was lost.
 */
export function wakeEndpoints({ queues, log }: Pick<Services, 'queues' | 'log'>, endpointIds: readonly string[]): void {
  if (endpointIds.length === 0) return;
  const sent = queues.wakeEndpoints(endpointIds);
  waitUntil(sent.catch((error: unknown) => log.error('webhook.not_queued', { endpoints: endpointIds.length, error })));
}
