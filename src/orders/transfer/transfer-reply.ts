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
    purpose: z.enum(['transfer', 'cancel']).meta({
      description:
        'cancel: it only uses up the nonce of a request that its signer has given up; to, tokenId, amount and ercStandard are null',
    }),
    contractAddress: z.string().meta({ description: 'Lower case' }),
    from: z.string(),
    to: z.string().nullable(),
    tokenId: z.string().nullable(),
    amount: z.int().nullable(),
    ercStandard: z.enum(['721', '1155']).nullable(),
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
    purpose: order.purpose,
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
