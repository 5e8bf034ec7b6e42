import type { Env } from '../env.ts';
import type { QueueMessage } from './messages.ts';

/** A `sendBatch` takes at most so many messages. */
const BATCH = 100;

export interface Queues {
  /** Puts wake-up calls on the queues of their kinds. Call it after the commit: cron finds what was not told. */
  send(messages: readonly QueueMessage[]): Promise<void>;
}

export function createQueues(env: Env): Queues {
  const queueOf = {
    deploy: env.DEPLOY_QUEUE,
    mint: env.MINT_QUEUE,
    'transfer-ownership': env.DEPLOY_QUEUE,
    fill: env.TRANSFER_QUEUE,
    webhook: env.WEBHOOK_QUEUE,
  } satisfies Record<QueueMessage['kind'], Queue<QueueMessage>>;

  return {
    async send(messages) {
      const byQueue = Map.groupBy(messages, (message) => queueOf[message.kind]);
      await Promise.all(
        Array.from(byQueue, async ([queue, own]) => {
          for (let start = 0; start < own.length; start += BATCH) {
            await queue.sendBatch(own.slice(start, start + BATCH).map((body) => ({ body })));
          }
        }),
      );
    },
  };
}
