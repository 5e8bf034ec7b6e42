import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { ORDER_STATUS, ORDER_STATUS_MEANING } from '../../core/order-status.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import {
  shownAddress,
  shownChainId,
  shownContractAddress,
  shownGasUsed,
  shownTokenId,
  shownTxHash,
} from '../../core/reply-fields.ts';
import type { BurnOrder } from './burns.store.ts';

/** The response form of a burn. A field without a value yet is null. */
export const burnReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    chainId: shownChainId,
    contractAddress: shownContractAddress,
    from: shownAddress.meta({ description: 'Who holds the token and signed the request' }),
    tokenId: shownTokenId,
    amount: z.int().meta({ description: 'Number of tokens; 1 for ERC-721', example: 1 }),
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Token standard: ERC-721 or ERC-1155' }),
    status: z.enum(ORDER_STATUS).meta({ description: ORDER_STATUS_MEANING }),
    txHash: shownTxHash.nullable(),
    burnGasUsed: shownGasUsed.nullable(),
    ...resultFields,
  })
  .meta({ id: 'BurnOrder' });

export type BurnReply = z.infer<typeof burnReplySchema>;

export function burnReply(order: BurnOrder): BurnReply {
  const { id, chainId, contractAddress, from, tokenId, amount, ercStandard, status, txHash, burnGasUsed } = order;
  const fields = { id, chainId, contractAddress, from, tokenId, amount, ercStandard, status, txHash, burnGasUsed };
  return { ...fields, ...resultReply(order) };
}
