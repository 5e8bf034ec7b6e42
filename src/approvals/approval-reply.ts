import { z } from 'zod';
import { instantField, recordIdField } from '../core/fields.ts';
import type { ApprovalAction } from '../platform/database/schema.ts';
import { APPROVAL_STATUSES } from './approvals.store.ts';
import type { Approval } from './approvals.store.ts';

const ACTIONS = {
  'transfer-ownership': 'TRANSFER_OWNERSHIP',
  'deploy-forwarder': 'DEPLOY_FORWARDER',
  'switch-off': 'SWITCH_OFF_APPROVALS',
} as const satisfies Record<ApprovalAction, string>;

export const approvalReplySchema = z
  .object({
    id: recordIdField.meta({ description: "The order's id: jobId of an ownership transfer, _id of a forwarder" }),
    action: z.enum(ACTIONS),
    status: z.enum(APPROVAL_STATUSES),
    chainId: z.string().nullable(),
    contractAddress: z.string().nullable().meta({ description: 'Of an ownership transfer' }),
    newOwner: z.string().nullable().meta({ description: 'Of an ownership transfer' }),
    alias: z.string().nullable().meta({ description: 'Of a forwarder' }),
    requestedBy: recordIdField.nullable().meta({ description: 'The key that asked for it; null: a global API key' }),
    expiresAt: instantField,
    decidedAt: instantField.nullable(),
    decidedBy: recordIdField
      .nullable()
      .meta({ description: 'The key that decided; null with decidedAt: the operator' }),
    createdAt: instantField,
  })
  .meta({ id: 'Approval' });

export function approvalReply(approval: Approval): z.output<typeof approvalReplySchema> {
  const { id, action, status, chainId, contractAddress, newOwnerAddress, alias, requestedBy, decidedBy } = approval;
  return {
    id,
    action: ACTIONS[action],
    status,
    chainId,
    contractAddress,
    newOwner: newOwnerAddress,
    alias,
    requestedBy,
    expiresAt: approval.expiresAt.toISOString(),
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    decidedBy,
    createdAt: approval.createdAt.toISOString(),
  };
}
