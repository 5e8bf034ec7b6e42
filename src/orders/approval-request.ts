import type { ApprovalRequest } from '../engine/transactions.store.ts';
import type { TenantServices } from '../services.ts';

const HOUR_MS = 3_600_000;

/** The approval that an order needs if its account requires one. It can be given for APPROVAL_HOURS. */
export function approvalRequest(
  { actor, settings }: Pick<TenantServices, 'actor' | 'settings'>,
  action: ApprovalRequest['action'],
  now: Date,
): ApprovalRequest {
  return { action, requestedBy: actor.type === 'key' ? actor.key.id : null, until: approvalEnd(settings, now) };
}

/** The deadline of an approval that is requested now. */
export function approvalEnd({ APPROVAL_HOURS }: TenantServices['settings'], now: Date): Date {
  return new Date(now.getTime() + APPROVAL_HOURS * HOUR_MS);
}
