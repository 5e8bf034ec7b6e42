import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { ORDER_STATUS, ORDER_STATUS_MEANING } from '../../core/order-status.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { MintingOrder } from './minting-orders.store.ts';
import {
  shownAddress,
  shownChainId,
  shownContractAddress,
  shownGasUsed,
  shownTokenId,
  shownTxHash,
} from '../../core/reply-fields.ts';

/** The MintingOrder response form. A field without a value yet is null. */
export const orderReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    chainId: shownChainId,
    contractAddress: shownContractAddress,
    receiverAddress: shownAddress.meta({ description: 'Who gets the token' }),
    tokenId: shownTokenId,
    amount: z.int().meta({ description: 'Number of tokens; 1 for ERC-721', example: 1 }),
    metadataId: recordIdField.meta({ description: "Id of the token's metadata" }),
    status: z.enum(ORDER_STATUS).meta({ description: ORDER_STATUS_MEANING }),
    mode: z.enum(['direct', 'relay']).meta({
      description: "direct: the account's wallet mints. relay: the contract's owner signed, the account's wallet pays",
    }),
    txHash: shownTxHash.nullable(),
    mintingGasUsed: shownGasUsed.nullable(),
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
