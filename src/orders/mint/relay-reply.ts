import { z } from 'zod';
import { ORDER_STATUS_MEANING, QUEUED_ORDER_STATUS, queuedStatus } from '../../core/order-status.ts';
import { orderReply, orderReplySchema } from './order-reply.ts';
import type { MintingOrder } from './minting-orders.store.ts';

/** The response of POST /minting/relay: the order's response form with QUEUED instead of PENDING. */
export const relayReplySchema = z
  .object({
    ...orderReplySchema.shape,
    status: z.enum(QUEUED_ORDER_STATUS).meta({ description: ORDER_STATUS_MEANING }),
  })
  .meta({ id: 'RelayedMintingOrder' });

export function relayReply(order: MintingOrder): z.infer<typeof relayReplySchema> {
  const reply = orderReply(order);
  return { ...reply, status: queuedStatus(reply.status) };
}
