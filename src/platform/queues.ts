import { z } from 'zod';
import { lowerCase } from '../core/lower-case.ts';
import { RECORD_ID } from '../core/record-id.ts';

/** The queues that carry wake-ups of lanes. Each kind of order names its own. */
export const WORK_QUEUES = ['deploy', 'mint', 'transfer'] as const;
export type WorkQueue = (typeof WORK_QUEUES)[number];

export const QUEUE_NAMES = [...WORK_QUEUES, 'webhook', 'import'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

const wokenLane = z.object({
  chainId: z.string().regex(/^[1-9]\d{0,15}$/),
  walletAddress: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]).transform(lowerCase),
});

/**
 * A message carries no work: it wakes the driver of a lane, or has the due deliveries of an endpoint made, or an import
 * worked on. The database has the rest.
 */
export const queueMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(WORK_QUEUES), lane: wokenLane }),
  z.object({ kind: z.literal('webhook'), endpointId: z.string().regex(RECORD_ID) }),
  z.object({ kind: z.literal('import'), importId: z.string().regex(RECORD_ID) }),
]);

export type QueueMessage = z.infer<typeof queueMessage>;

/** The lane that a message wakes. */
export type WokenLane = z.infer<typeof wokenLane>;

/** The most messages that `sendBatch` accepts. */
const MAX_BATCH = 100;

/** The messages waiting in a queue. */
export interface Backlog {
  readonly messages: number;
  readonly bytes: number;
  /** When the oldest message was sent; null when the queue is empty or the platform does not say. */
  readonly oldestAt: Date | null;
}

/** Send after the commit: the cleanup job finds what no message reached. */
export interface Queues {
  wakeLanes(queue: WorkQueue, lanes: readonly WokenLane[]): Promise<void>;
  /** One message for each endpoint, however often it is named. */
  wakeEndpoints(endpointIds: readonly string[]): Promise<void>;
  /** @param delays Endpoint -> the seconds after which its message is handed out. */
  wakeEndpointsLater(delays: ReadonlyMap<string, number>): Promise<void>;
  /** @param delays Import -> the seconds after which its message is handed out. */
  wakeImports(delays: ReadonlyMap<string, number>): Promise<void>;
  /** @throws when the platform does not answer. */
  backlog(queue: QueueName): Promise<Backlog>;
}

export function createQueues(env: Readonly<Record<`${Uppercase<QueueName>}_QUEUE`, Queue<QueueMessage>>>): Queues {
  const queueOf = {
    deploy: env.DEPLOY_QUEUE,
    mint: env.MINT_QUEUE,
    transfer: env.TRANSFER_QUEUE,
    webhook: env.WEBHOOK_QUEUE,
    import: env.IMPORT_QUEUE,
  };

  return {
    wakeLanes: (kind, lanes) =>
      sendTo(
        queueOf[kind],
        lanes.map((lane) => ({ body: { kind, lane } })),
      ),
    wakeEndpoints: (endpointIds) =>
      sendTo(
        queueOf.webhook,
        Array.from(new Set(endpointIds), (endpointId) => ({ body: { kind: 'webhook', endpointId } })),
      ),
    wakeEndpointsLater: (delays) =>
      sendTo(
        queueOf.webhook,
        Array.from(delays, ([endpointId, delaySeconds]) => ({ body: { kind: 'webhook', endpointId }, delaySeconds })),
      ),
    wakeImports: (delays) =>
      sendTo(
        queueOf.import,
        Array.from(delays, ([importId, delaySeconds]) => ({ body: { kind: 'import', importId }, delaySeconds })),
      ),
    async backlog(name) {
      const { backlogCount, backlogBytes, oldestMessageTimestamp } = await queueOf[name].metrics();
      return { messages: backlogCount, bytes: backlogBytes, oldestAt: oldestMessageTimestamp ?? null };
    },
  };
}

async function sendTo(
  queue: Queue<QueueMessage>,
  messages: readonly MessageSendRequest<QueueMessage>[],
): Promise<void> {
  for (let start = 0; start < messages.length; start += MAX_BATCH) {
    await queue.sendBatch(messages.slice(start, start + MAX_BATCH));
  }
}
