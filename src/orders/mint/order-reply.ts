import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { MintingOrder } from './minting-orders.store.ts';

/** The MintingOrder response form. A field that has no value yet is null. */
export const orderReplySchema = z
  .object({
    id: recordIdField,
    chainId: z.string(),
    contractAddress: z.string(),
    receiverAddress: z.string(),
    tokenId: z.string(),
    amount: z.int(),
    metadataId: recordIdField,
    status: z.enum(['PENDING', 'PROCESSING', 'SENT', 'CONFIRMED', 'FAILED', 'CANCELLED']),
    mode: z.enum(['direct', 'relay']),
    txHash: z.string().nullable(),
    mintingGasUsed: z.string().nullable(),
    ...resultFields,
  })
  .meta({ id: 'MintingOrder' });

export function orderReply(order: MintingOrder): z.infer<typeof orderReplySchema> {
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
