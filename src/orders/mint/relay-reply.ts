import { z } from 'zod';
import { orderReply, orderReplySchema } from './order-reply.ts';
import type { MintingOrder } from './minting-orders.store.ts';

/** What POST /minting/relay answers: the order's response form, where PENDING is called QUEUED. */
export const relayReplySchema = z
  .object({
    ...orderReplySchema.shape,
    status: z.enum(['QUEUED', 'PROCESSING', 'SENT', 'CONFIRMED', 'FAILED', 'CANCELLED']),
  })
  .meta({ id: 'RelayedMintingOrder' });

export function relayReply(order: MintingOrder): z.infer<typeof relayReplySchema> {
  const reply = orderReply(order);
  return { ...reply, status: reply.status === 'PENDING' ? 'QUEUED' : reply.status };
}
