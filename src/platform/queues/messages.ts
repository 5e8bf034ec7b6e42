import { z } from 'zod';
import { RECORD_ID } from '../../core/ids.ts';

const id = z.string().regex(RECORD_ID);

/** A wake-up call: the database says what is to be done. */
export const queueMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('deploy'), id }),
  z.object({ kind: z.literal('relay-mint'), id }),
  z.object({ kind: z.literal('transfer'), id }),
  z.object({ kind: z.literal('transfer-ownership'), id }),
  z.object({ kind: z.literal('fill'), id }),
  z.object({ kind: z.literal('webhook'), id }),
  z.object({
    kind: z.literal('lane'),
    chainId: z.string().regex(/^[1-9]\d{0,15}$/),
    walletAddress: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]),
  }),
]);

export type QueueMessage = z.infer<typeof queueMessage>;

/** Wakes the driver of a lane; it carries no work. */
export type LaneMessage = Extract<QueueMessage, { kind: 'lane' }>;

/** Names one order or event. */
export type IdMessage = Exclude<QueueMessage, LaneMessage>;
