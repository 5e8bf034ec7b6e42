import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { ORDER_STATUS, ORDER_STATUS_MEANING } from '../../core/order-status.ts';
import {
  shownChainId,
  shownContractAddress,
  shownGasUsed,
  shownTokenId,
  shownTxHash,
} from '../../core/reply-fields.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { Notification } from './notifications.store.ts';

/** A chain notification. A field without a value yet is null. */
export const notificationReplySchema = z
  .object({
    id: recordIdField.meta({ description: 'Id of the order' }),
    metadataId: recordIdField.meta({ description: 'Id of the metadata that has changed' }),
    chainId: shownChainId,
    contractAddress: shownContractAddress,
    tokenId: shownTokenId,
    status: z.enum(ORDER_STATUS).meta({ description: ORDER_STATUS_MEANING }),
    txHash: shownTxHash.nullable(),
    notificationGasUsed: shownGasUsed.nullable(),
    ...resultFields,
  })
  .meta({ id: 'ChainNotification' });

export type NotificationReply = z.infer<typeof notificationReplySchema>;

export function notificationReply(order: Notification): NotificationReply {
  return {
    id: order.id,
    metadataId: order.metadataId,
    chainId: order.chainId,
    contractAddress: order.contractAddress,
    tokenId: order.tokenId,
    status: order.status,
    txHash: order.txHash,
    notificationGasUsed: order.notificationGasUsed,
    ...resultReply(order),
  };
}
