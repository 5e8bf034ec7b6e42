import { z } from 'zod';
import { mayUse, type Actor } from '../accounts/actor.ts';
import { DomainError } from '../core/domain-error.ts';
import type { TenantServices } from '../services.ts';
import { wakeEndpoints } from '../webhooks/wake-endpoints.ts';
import { approvalEnd } from '../orders/approval-request.ts';
import { approvalReply, approvalReplySchema } from './approval-reply.ts';
import { findApproval, readSetting, requestSwitchOff, storeSetting } from './approvals.store.ts';

export const approvalSettingInput = z
  .strictObject({
    required: z.boolean().meta({
      description:
        'Whether ownership transfers, forwarders and contracts that trust a foreign forwarder need a second person',
    }),
  })
  .meta({ id: 'SetApprovals' });

export const approvalSettingSchema = z
  .object({
    required: z.boolean().meta({
      description:
        'Whether ownership transfers, forwarders and contracts that trust a foreign forwarder need a second person',
    }),
  })
  .meta({ id: 'ApprovalSetting' });

export const changedSettingSchema = approvalSettingSchema
  .extend({ approval: approvalReplySchema.nullable().meta({ description: 'What must be approved to switch it off' }) })
  .meta({ id: 'ChangedApprovalSetting' });

export async function getApprovalSetting({ db }: TenantServices): Promise<z.output<typeof approvalSettingSchema>> {
  return { required: await readSetting(db) };
}

/**
 * Sets whether the account requires approvals. Only the operator switches it off at once; a key can request it, and a
 * second person must approve.
 * @throws {DomainError} `forbidden` unless the caller is the operator with the admin key, or a key for main chains with
 *   the scopes `ownership` and `keys`.
 */
export async function setApprovals(
  services: TenantServices,
  { required }: z.output<typeof approvalSettingInput>,
): Promise<z.output<typeof changedSettingSchema>> {
  const { actor, db, clock, settings, newId, isRetry } = services;
  if (!mayUse(actor, { scope: 'keys' })) {
    throw new DomainError('forbidden', 'This requires an account key with the scopes ownership and keys');
  }
  requireKeyForAllChains(actor);
  const now = new Date(clock.now());
  if (required || actor.type !== 'key') {
    // An earlier attempt of the same request has set it, and it may have been set again since.
    if (isRetry) return { required: await readSetting(db), approval: null };
    await storeSetting(db, required, now);
    return { required, approval: null };
  }
  const expiresAt = approvalEnd(settings, now);
  const request = { id: newId(), requestedBy: actor.key.id, expiresAt, createdAt: now };
  const { id: awaited, endpointIds } = await requestSwitchOff(db, request);
  wakeEndpoints(services, endpointIds);
  const approval = awaited === undefined ? undefined : await findApproval(db, awaited, now);
  return approval === undefined
    ? { required: await readSetting(db), approval: null }
    : { required: true, approval: approvalReply(approval) };
}

/** The setting is for all chains. @throws {DomainError} `forbidden` for a key that is for test chains only. */
export function requireKeyForAllChains(actor: Actor): void {
  if (actor.type === 'key' && actor.key.kind === 'test') {
    throw new DomainError('forbidden', 'A test key cannot change what applies to main chains too');
  }
}
