import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { MintingOrder } from './minting-orders.store.ts';

/** The MintingOrder response form. A field without a value yet is null. */
export const orderReplySchema = z
  .object({
    id: recordIdField,
    chainId: z.string(),
    contractAddress: z.string(),
    receiverAddress: z.string(),
    tokenId: z.string(),
    amount: z.int(),
    metadataId: recordIdField,
    status: z.enum(ORDER_STATUS),
    mode: z.enum(['direct', 'relay']),
    txHash: z.string().nullable(),
    mintingGasUsed: z.string().nullable(),
    ...resultFields,
  })
  .meta({ id: 'MintingOrder' });

export type OrderReply = z.infer<typeof orderReplySchema>;

export function orderReply(order: MintingOrder): OrderReply {
  return {
    id: order.id,
    chainId: order.chainId,
    contractAddress: order.contractAddress,
    receiverAddress: order.receiverAddress,
    tokenId: order.tokenId,
    amount: order.amount,
    metadataId: order.metadataId,
    status: order.status,
    mode: order.mode,
    txHash: order.txHash,
    mintingGasUsed: order.mintingGasUsed,
    ...resultReply(order),
  };
}
