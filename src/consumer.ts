import { laneName } from './engine/wallet-lane.ts';
import { queueMessage } from './platform/queues/messages.ts';
import type { Services } from './services.ts';
import { deliver } from './webhooks/deliver.ts';

/** Seconds after which a message that could not be handled comes again: longer each time, up to a minute. */
function pauseAfter(attempts: number): number {
  return Math.min(60, 2 ** Math.min(attempts, 6));
}

/**
 * Handles a batch of messages: wakes each lane once, and makes an attempt for each delivery. The only place that acknowledges or
 * retries. It never throws: a handler that does would have the whole batch delivered again, what is done included.
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

/** What wakes a lane has done its work once the lane's object has returned: it will be driven. */
async function wakeLane({ lanes, log }: Services, name: string, messages: readonly Message[]): Promise<void> {
  try {
    await lanes.getByName(name).wake();
    for (const message of messages) message.ack();
  } catch (error) {
    log.error('queue.lane_not_woken', { lane: name, error });
    for (const message of messages) message.retry({ delaySeconds: pauseAfter(message.attempts) });
  }
}

async function deliverEvents(services: Services, deliveries: ReadonlyMap<string, readonly Message[]>): Promise<void> {
  if (deliveries.size === 0) return;
  let verdicts: Awaited<ReturnType<typeof deliver>> = new Map();
  try {
    verdicts = await deliver(services, [...deliveries.keys()]);
  } catch (error) {
    services.log.error('queue.events_failed', { count: deliveries.size, error });
  }
  for (const [id, messages] of deliveries) {
    const verdict = verdicts.get(id);
    for (const message of messages) {
      if (verdict?.done === true) message.ack();
      else message.retry({ delaySeconds: verdict?.retryAfterSeconds ?? pauseAfter(message.attempts) });
    }
  }
}
