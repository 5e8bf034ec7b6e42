import { z } from 'zod';
import { recordIdField } from '../../core/fields.ts';
import { resultFields, resultReply } from '../../core/result-fields.ts';
import type { OwnershipTransfer } from './ownership-transfers.store.ts';

/** A hand-over's job. A field that has no value yet is null. */
export const ownershipTransferReplySchema = z
  .object({
    jobId: recordIdField,
    contractId: recordIdField,
    chainId: z.string(),
    contractAddress: z.string(),
    newOwner: z.string(),
    status: z.enum(['QUEUED', 'PROCESSING', 'SENT', 'CONFIRMED', 'FAILED', 'CANCELLED']),
    txHash: z.string().nullable(),
    transferGasUsed: z.string().nullable(),
    ...resultFields,
  })
  .meta({ id: 'OwnershipTransfer' });

export function ownershipTransferReply(transfer: OwnershipTransfer): z.infer<typeof ownershipTransferReplySchema> {
  return {
    jobId: transfer.id,
    contractId: transfer.contractId,
    chainId: transfer.chainId,
    contractAddress: transfer.contractAddress,
    newOwner: transfer.newOwnerAddress,
    status: transfer.status === 'PENDING' ? 'QUEUED' : transfer.status,
    txHash: transfer.txHash,
    transferGasUsed: transfer.transferGasUsed,
    ...resultReply(transfer),
  };
}
