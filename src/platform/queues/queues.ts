import type { Env } from '../env.ts';
import type { QueueMessage } from './messages.ts';

/** The most messages that `sendBatch` accepts. */
const MAX_BATCH = 100;

/** The messages waiting in a queue. */
export interface Backlog {
  readonly messages: number;
  readonly bytes: number;
  /** When the oldest message was sent; null when the queue is empty or the platform does not say. */
  readonly oldestAt: Date | null;
}

export const QUEUE_NAMES = ['deploy', 'mint', 'transfer', 'webhook'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

export interface Queues {
  /** Sends wake-up calls to the queues of their kinds. Call it after the commit: the cleanup job finds work whose message was lost. */
  send(messages: readonly QueueMessage[]): Promise<void>;
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
  } satisfies Record<QueueMessage['kind'] | QueueName, Queue<QueueMessage>>;

  return {
    async send(messages) {
      const byQueue = Map.groupBy(messages, (message) => queueOf[message.kind]);
      await Promise.all(
        Array.from(byQueue, async ([queue, own]) => {
          for (let start = 0; start < own.length; start += MAX_BATCH) {
            await queue.sendBatch(own.slice(start, start + MAX_BATCH).map((body) => ({ body })));
          }
        }),
      );
    },
    async backlog(name) {
      const { backlogCount, backlogBytes, oldestMessageTimestamp } = await queueOf[name].metrics();
      return { messages: backlogCount, bytes: backlogBytes, oldestAt: oldestMessageTimestamp ?? null };
    },
  };
}
