import { laneName } from './engine/wallet-lane.ts';
import { queueMessage } from './platform/queues.ts';
import type { Services } from './services.ts';
import { deliver } from './webhooks/deliver.ts';

/** Exponential backoff for a message that could not be handled, in seconds, up to a minute. */
function backoff(attempts: number): number {
  return Math.min(60, 2 ** Math.min(attempts, 6));
}

/**
 * Handles a batch of messages: wakes each lane once and has deliveries of each endpoint made. Only this file
 * acknowledges and retries messages. It never throws: that would redeliver the whole batch, including messages already
 * handled.
 */
export async function consume(services: Services, batch: MessageBatch): Promise<void> {
  const lanes = new Map<string, Message[]>();
  const endpoints = new Map<string, Message[]>();
  for (const message of batch.messages) {
    const { data, error } = queueMessage.safeParse(message.body);
    if (data === undefined) {
      services.log.error('queue.malformed_message', { queue: batch.queue, messageId: message.id, error });
      message.ack();
    } else if (data.kind === 'webhook') {
      endpoints.set(data.endpointId, [...(endpoints.get(data.endpointId) ?? []), message]);
    } else {
      const name = laneName(data.lane);
      lanes.set(name, [...(lanes.get(name) ?? []), message]);
    }
  }
  await Promise.all([
    ...Array.from(lanes, ([name, messages]) => wakeLane(services, name, messages)),
    deliverEvents(services, endpoints),
  ]);
}

/** A wake-up is handled once the lane's object has returned: from then on the lane is certain to be driven. */
async function wakeLane({ lanes, log }: Services, name: string, messages: readonly Message[]): Promise<void> {
  try {
    await lanes.getByName(name).wake();
    for (const message of messages) message.ack();
  } catch (error) {
    log.error('queue.lane_not_woken', { lane: name, error });
    for (const message of messages) message.retry({ delaySeconds: backoff(message.attempts) });
  }
}

/**
 * What is left to do for an endpoint gets a new message, so that it neither holds up this batch nor uses up the retries
 * of its message. The old ones are acknowledged after that: otherwise a crash between the two would lose both.
 */
async function deliverEvents(services: Services, endpoints: ReadonlyMap<string, readonly Message[]>): Promise<void> {
  if (endpoints.size === 0) return;
  const messages = [...endpoints.values()].flat();
  try {
    const delays = await deliver(services, [...endpoints.keys()]);
    await services.queues.wakeEndpointsLater(delays);
    for (const message of messages) message.ack();
  } catch (error) {
    services.log.error('queue.events_failed', { count: endpoints.size, error });
    for (const message of messages) message.retry({ delaySeconds: backoff(message.attempts) });
  }
}
