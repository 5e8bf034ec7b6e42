import { z } from 'zod';
import { APPROVAL_ACTIONS } from '../platform/database/vocabulary/approval-action.ts';
import { instantField, recordIdField } from '../core/fields.ts';
import { APPROVAL_STATUSES, type Approval } from './approvals.store.ts';
import { addressReply, chainIdReply, contractAddressReply } from '../core/reply-fields.ts';

export const approvalReplySchema = z
  .object({
    id: recordIdField.meta({
      description: "The order's id: jobId of an ownership transfer, _id of a forwarder or contract",
    }),
    action: z.enum(APPROVAL_ACTIONS).meta({ description: 'What must be approved' }),
    status: z.enum(APPROVAL_STATUSES).meta({ description: 'Whether it is decided, and how' }),
    chainId: chainIdReply.nullable().meta({ description: 'Chain of the order; null if it is about no chain' }),
    contractAddress: contractAddressReply.nullable().meta({ description: 'Of an ownership transfer, otherwise null' }),
    newOwner: addressReply.nullable().meta({ description: 'Of an ownership transfer, otherwise null' }),
    alias: z.string().nullable().meta({ description: 'Of a forwarder, otherwise null', example: 'main' }),
    trustedForwarder: addressReply.nullable().meta({
      description:
        "Of a contract, the forwarder that it would trust, which is neither the configured one nor the account's; otherwise null",
    }),
    requestedBy: recordIdField.nullable().meta({ description: 'The key that requested it; null: a global API key' }),
    expiresAt: instantField.meta({ description: 'Deadline for the decision, UTC' }),
    decidedAt: instantField.nullable().meta({ description: 'UTC; null until it is decided' }),
    decidedBy: recordIdField
      .nullable()
      .meta({ description: 'The key that decided; null with decidedAt: the operator' }),
    createdAt: instantField.meta({ description: 'When it was requested, UTC' }),
  })
  .meta({ id: 'Approval' });

export function approvalReply(approval: Approval): z.output<typeof approvalReplySchema> {
  const {
    requestedBy,
    decidedBy,
    id,
    action,
    status,
    chainId,
    contractAddress,
    newOwnerAddress,
    alias,
    trustedForwarder,
  } = approval;
  return {
    id,
    action: APPROVAL_ACTIONS[action],
    status,
    chainId,
    contractAddress,
    newOwner: newOwnerAddress,
    alias,
    trustedForwarder,
    requestedBy,
    expiresAt: approval.expiresAt.toISOString(),
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    decidedBy,
    createdAt: approval.createdAt.toISOString(),
  };
}
