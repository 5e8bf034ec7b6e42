import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { ORDER_STATUS } from '../../core/order-status.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { TransferOrder } from './transfers.store.ts';

/** The TransferOrder response form. A field without a value yet is null. */
export const transferReplySchema = z
  .object({
    id: recordIdField,
    chainId: z.string(),
    contractAddress: z.string().meta({ description: 'Lower case' }),
    from: z.string(),
    to: z.string(),
    tokenId: z.string(),
    amount: z.int(),
    ercStandard: z.enum(['721', '1155']),
    status: z.enum(ORDER_STATUS),
    txHash: z.string().nullable().meta({ description: 'Lower case; set once mined' }),
    transferGasUsed: z.string().nullable(),
    ...resultFields,
  })
  .meta({ id: 'TransferOrder' });

export type TransferReply = z.infer<typeof transferReplySchema>;

export function transferReply(order: TransferOrder): TransferReply {
  return {
    id: order.id,
    chainId: order.chainId,
    contractAddress: order.contractAddress,
    from: order.from,
    to: order.to,
    tokenId: order.tokenId,
    amount: order.amount,
    ercStandard: order.ercStandard,
    status: order.status,
    txHash: order.txHash,
    transferGasUsed: order.transferGasUsed,
    ...resultReply(order),
  };
}
