import { laneName } from './engine/wallet-lane.ts';
import { queueMessage } from './platform/queues/messages.ts';
import type { Services } from './services.ts';
import { deliver } from './webhooks/deliver.ts';

/** Exponential backoff for a message that could not be handled, in seconds, up to a minute. */
function backoff(attempts: number): number {
  return Math.min(60, 2 ** Math.min(attempts, 6));
}

/**
 * Handles a batch of messages: wakes each lane once and makes one attempt per delivery. Only this file acknowledges and
 * retries messages. It never throws: that would redeliver the whole batch, including messages already handled.
 */
export async function consume(services: Services, batch: MessageBatch): Promise<void> {
  const lanes = new Map<string, Message[]>();
  const deliveries = new Map<string, Message[]>();
  for (const message of batch.messages) {
    const { data, error } = queueMessage.safeParse(message.body);
    if (data === undefined) {
      services.log.error('queue.malformed_message', { queue: batch.queue, messageId: message.id, error });
      message.ack();
    } else if (data.kind === 'webhook') {
      deliveries.set(data.id, [...(deliveries.get(data.id) ?? []), message]);
    } else {
      const name = laneName(data.lane);
      lanes.set(name, [...(lanes.get(name) ?? []), message]);
    }
  }
  await Promise.all([
    ...Array.from(lanes, ([name, messages]) => wakeLane(services, name, messages)),
    deliverEvents(services, deliveries),
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

async function deliverEvents(services: Services, deliveries: ReadonlyMap<string, readonly Message[]>): Promise<void> {
  if (deliveries.size === 0) return;
  let dispositions: Awaited<ReturnType<typeof deliver>> = new Map();
  try {
    dispositions = await deliver(services, [...deliveries.keys()]);
  } catch (error) {
    services.log.error('queue.events_failed', { count: deliveries.size, error });
  }
  for (const [id, messages] of deliveries) {
    const disposition = dispositions.get(id);
    for (const message of messages) {
      if (disposition?.done === true) message.ack();
      else message.retry({ delaySeconds: disposition?.retryAfterSeconds ?? backoff(message.attempts) });
    }
  }
}
