import type { Env } from '../env.ts';
import type { IdMessage, LaneMessage, QueueMessage } from './messages.ts';

/** A `sendBatch` takes at most so many messages. */
const BATCH = 100;

/** What waits in a queue. */
export interface Backlog {
  readonly messages: number;
  readonly bytes: number;
  /** When the oldest message was sent; null when there is none, or the platform does not say. */
  readonly oldestAt: Date | null;
}

export const QUEUE_NAMES = ['deploy', 'mint', 'transfer', 'webhook'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export interface Queues {
  /** Puts wake-up calls on the queues of their kinds. Call it after the commit: cron finds what was not told. */
  send(messages: readonly IdMessage[]): Promise<void>;
  /** Puts wake-ups of lanes on a queue. */
  wake(queue: QueueName, lanes: readonly Omit<LaneMessage, 'kind'>[]): Promise<void>;
  /** @throws when the platform does not answer. */
  backlog(queue: QueueName): Promise<Backlog>;
}

export function createQueues(env: Env): Queues {
  const queueOf = {
    deploy: env.DEPLOY_QUEUE,
    mint: env.MINT_QUEUE,
    'relay-mint': env.MINT_QUEUE,
    transfer: env.TRANSFER_QUEUE,
    'transfer-ownership': env.DEPLOY_QUEUE,
    fill: env.TRANSFER_QUEUE,
    webhook: env.WEBHOOK_QUEUE,
  } satisfies Record<IdMessage['kind'] | QueueName, Queue<QueueMessage>>;

  return {
    async send(messages) {
      const byQueue = Map.groupBy(messages, (message) => queueOf[message.kind]);
      await Promise.all(Array.from(byQueue, ([queue, own]) => sendTo(queue, own)));
    },
    wake: (name, lanes) =>
      sendTo(
        queueOf[name],
        lanes.map((lane) => ({ kind: 'lane', ...lane })),
      ),
    async backlog(name) {
      const { backlogCount, backlogBytes, oldestMessageTimestamp } = await queueOf[name].metrics();
      return { messages: backlogCount, bytes: backlogBytes, oldestAt: oldestMessageTimestamp ?? null };
    },
  };
}

async function sendTo(queue: Queue<QueueMessage>, messages: readonly QueueMessage[]): Promise<void> {
  for (let start = 0; start < messages.length; start += BATCH) {
    await queue.sendBatch(messages.slice(start, start + BATCH).map((body) => ({ body })));
  }
}
