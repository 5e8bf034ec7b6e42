import { laneName } from './engine/wallet-lane.ts';
import { advanceImports } from './imports/advance-imports.ts';
import { queueMessage } from './platform/queues.ts';
import type { Services } from './services.ts';
import { deliver } from './webhooks/deliver.ts';

/** Exponential backoff for a message that could not be handled, in seconds, up to a minute. */
function backoff(attempts: number): number {
  return Math.min(60, 2 ** Math.min(attempts, 6));
}

/**
 * Handles a batch of messages: wakes each lane once, has deliveries of each endpoint made and imports worked on. Only
 * this file acknowledges and retries messages. It never throws: that would redeliver the whole batch, including
 * messages already handled.
 */
export async function consume(services: Services, batch: MessageBatch): Promise<void> {
  const lanes = new Map<string, Message[]>();
  const endpoints = new Map<string, Message[]>();
  const imports = new Map<string, Message[]>();
  for (const message of batch.messages) {
    const { data, error } = queueMessage.safeParse(message.body);
    if (data === undefined) {
      services.log.error('queue.malformed_message', { queue: batch.queue, messageId: message.id, error });
      message.ack();
    } else if (data.kind === 'webhook') {
      add(endpoints, data.endpointId, message);
    } else if (data.kind === 'import') {
      add(imports, data.importId, message);
    } else {
      add(lanes, laneName(data.lane), message);
    }
  }
  await Promise.all([
    ...Array.from(lanes, ([name, messages]) => wakeLane(services, name, messages)),
    deliverEvents(services, endpoints),
    workOnImports(services, imports),
  ]);
}

function add(messagesOf: Map<string, Message[]>, name: string, message: Message): void {
  messagesOf.set(name, [...(messagesOf.get(name) ?? []), message]);
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
 * What is left to do gets new messages, so that it neither holds up this batch nor uses up the retries of its messages.
 * The old ones are acknowledged after that: otherwise a crash between the two would lose both.
 */
async function deliverEvents(services: Services, endpoints: ReadonlyMap<string, readonly Message[]>): Promise<void> {
  await handOn(services, 'queue.events_failed', endpoints, async (ids) => {
    await services.queues.wakeEndpointsLater(await deliver(services, ids));
  });
}

/** As {@link deliverEvents}. */
async function workOnImports(services: Services, imports: ReadonlyMap<string, readonly Message[]>): Promise<void> {
  await handOn(services, 'queue.imports_failed', imports, async (ids) => {
    await services.queues.wakeImports(await advanceImports(services, ids));
  });
}

async function handOn(
  { log }: Services,
  failure: string,
  messagesOf: ReadonlyMap<string, readonly Message[]>,
  handle: (ids: readonly string[]) => Promise<void>,
): Promise<void> {
  if (messagesOf.size === 0) return;
  const messages = [...messagesOf.values()].flat();
  try {
    await handle([...messagesOf.keys()]);
    for (const message of messages) message.ack();
  } catch (error) {
    log.error(failure, { count: messagesOf.size, error });
    for (const message of messages) message.retry({ delaySeconds: backoff(message.attempts) });
  }
}
