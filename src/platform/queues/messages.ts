import { z } from 'zod';
import { RECORD_ID } from '../../core/record-id.ts';

/** The queues that carry wake-ups of lanes. Each kind of order names its own. */
export const WORK_QUEUES = ['deploy', 'mint', 'transfer'] as const;
export type WorkQueue = (typeof WORK_QUEUES)[number];

export const QUEUE_NAMES = [...WORK_QUEUES, 'webhook'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

const lane = z.object({
  chainId: z.string().regex(/^[1-9]\d{0,15}$/),
  /** Lower case. */
  walletAddress: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]),
});

/** A message carries no work: it wakes the driver of a lane, or has the due deliveries of an endpoint made. The database has the rest. */
export const queueMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(WORK_QUEUES), lane }),
  z.object({ kind: z.literal('webhook'), endpointId: z.string().regex(RECORD_ID) }),
]);

export type QueueMessage = z.infer<typeof queueMessage>;

/** The lane that a message wakes. */
export type WokenLane = z.infer<typeof lane>;
