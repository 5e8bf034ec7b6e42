import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import {
  ORDER_STATUS_MEANING,
  QUEUED_ORDER_STATUS,
  WAITING_FOR_APPROVAL,
  queuedStatus,
} from '../../core/order-status.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { OwnershipTransfer } from './ownership-transfers.store.ts';
import {
  shownAddress,
  shownChainId,
  shownContractAddress,
  shownGasUsed,
  shownTxHash,
} from '../../core/reply-fields.ts';

/** The job of an ownership transfer. A field without a value yet is null. */
export const ownershipTransferReplySchema = z
  .object({
    jobId: recordIdField.meta({ description: 'Id of the ownership transfer' }),
    contractId: recordIdField.meta({ description: 'Id of the contract' }),
    chainId: shownChainId,
    contractAddress: shownContractAddress,
    newOwner: shownAddress.meta({ description: 'Who becomes the owner of the contract' }),
    status: z.enum({ ...QUEUED_ORDER_STATUS, awaitsApproval: WAITING_FOR_APPROVAL }).meta({
      description: `${ORDER_STATUS_MEANING}. WAITING_FOR_APPROVAL: a second person must approve it`,
    }),
    txHash: shownTxHash.nullable(),
    transferGasUsed: shownGasUsed.nullable(),
    ...resultFields,
  })
  .meta({ id: 'OwnershipTransfer' });

export type OwnershipTransferReply = z.infer<typeof ownershipTransferReplySchema>;

export function ownershipTransferReply(transfer: OwnershipTransfer): OwnershipTransferReply {
  return {
    jobId: transfer.id,
    contractId: transfer.contractId,
    chainId: transfer.chainId,
    contractAddress: transfer.contractAddress,
    newOwner: transfer.newOwnerAddress,
    status: transfer.progress?.awaitsApproval === true ? WAITING_FOR_APPROVAL : queuedStatus(transfer.status),
    txHash: transfer.txHash,
    transferGasUsed: transfer.transferGasUsed,
    ...resultReply(transfer),
  };
}
