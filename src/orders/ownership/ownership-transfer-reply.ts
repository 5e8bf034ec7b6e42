import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { QUEUED_ORDER_STATUS, WAITING_FOR_APPROVAL, queuedStatus } from '../../core/order-status.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { OwnershipTransfer } from './ownership-transfers.store.ts';

/** The job of an ownership transfer. A field without a value yet is null. */
export const ownershipTransferReplySchema = z
  .object({
    jobId: recordIdField,
    contractId: recordIdField,
    chainId: z.string(),
    contractAddress: z.string(),
    newOwner: z.string(),
    status: z.enum({ ...QUEUED_ORDER_STATUS, awaitsApproval: WAITING_FOR_APPROVAL }),
    txHash: z.string().nullable(),
    transferGasUsed: z.string().nullable(),
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
