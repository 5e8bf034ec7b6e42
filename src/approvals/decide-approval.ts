import { DomainError } from '../core/domain-error.ts';
import { carryOutCancel } from '../orders/cancel-order.ts';
import { hasEnded } from '../engine/job.ts';
import type { OrderKinds } from '../engine/order-kind.ts';
import { requestCancel } from '../orders/request-cancel.store.ts';
import { wakeLanes } from '../engine/wake-lanes.ts';
import { laneOf } from '../engine/wallet-lane.ts';
import type { TenantServices } from '../services.ts';
import { areRelated, decideOrder, decideSwitchOff, type Approval, type Decision } from './approvals.store.ts';
import { requireKeyForAllChains } from './approval-setting.ts';
import { getApproval } from './read-approvals.ts';

/**
 * Approves or refuses what a key of the account has asked for. An approved order is carried out; a refused one is
 * CANCELLED. The same decision again, by the same caller, changes nothing.
 * @returns the approval after that.
 * @throws {DomainError} `not-found`; `forbidden` if the caller is not a second person, or its key is not for the chain;
 *   `conflict` if it is decided, cancelled or expired.
 */
export async function decideApproval(
  services: TenantServices,
  kinds: OrderKinds,
  id: string,
  decision: Decision['decision'],
): Promise<Approval> {
  const { db, clock } = services;
  const approval = await getApproval(services, id);
  const decidedBy = await requireSecondPerson(services, approval);
  const isRepeated = approval.decision === decision && approval.decidedBy === decidedBy;
  if (!isRepeated) {
    const decide = approval.action === 'switch-off' ? decideSwitchOff : decideOrder;
    const isDecided = await decide(db, id, { decision, decidedBy, decidedAt: new Date(clock.now()) });
    if (!isDecided) throw new DomainError('conflict', `It is ${(await getApproval(services, id)).status}`);
  }
  await carryOut(services, kinds, approval, decision);
  return await getApproval(services, id);
}

/**
 * @returns the id of the caller's key; null for the operator with the admin key, who asks for nothing that needs
 * approval.
 */
async function requireSecondPerson({ db, actor }: TenantServices, approval: Approval): Promise<string | null> {
  const { requestedBy, action } = approval;
  if (action === 'switch-off') requireKeyForAllChains(actor);
  if (actor.type === 'admin') return null;
  if (actor.type === 'operator') {
    throw new DomainError('forbidden', 'A global API key cannot decide: use an account key or the admin key');
  }
  const { id } = actor.key;
  if (requestedBy !== null && (await areRelated(db, requestedBy, id))) {
    throw new DomainError(
      'forbidden',
      'It must be decided with another key than it was requested with, and neither may descend from the other or from the same key',
    );
  }
  return id;
}

/** The cleanup job finds an order that is due, if this is not reached. */
async function carryOut(
  services: TenantServices,
  kinds: OrderKinds,
  { id, kind: name }: Approval,
  decision: Decision['decision'],
): Promise<void> {
  const kind = kinds.get(name ?? '');
  const job = kind && (await requestCancel(services.db, [kind], id, null))?.job;
  if (job === undefined || hasEnded(job)) return;
  const { chainId, walletAddress } = job.transaction;
  if (decision === 'refused') await carryOutCancel(services, job);
  else wakeLanes(services, job.kind, [laneOf(chainId, walletAddress)]);
}
