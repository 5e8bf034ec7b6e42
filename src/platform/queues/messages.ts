import { z } from 'zod';
import { RECORD_ID } from '../../core/ids.ts';

const id = z.string().regex(RECORD_ID);

/** A wake-up call. What there is to do is in the database. */
export const queueMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('deploy'), id }),
  z.object({ kind: z.literal('mint'), id }),
  z.object({ kind: z.literal('relay-mint'), id }),
  z.object({ kind: z.literal('transfer'), id }),
  z.object({ kind: z.literal('transfer-ownership'), id }),
  z.object({ kind: z.literal('fill'), id }),
  z.object({ kind: z.literal('webhook'), id }),
]);

export type QueueMessage = z.infer<typeof queueMessage>;
