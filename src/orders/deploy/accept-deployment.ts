import type { Address } from 'viem';
import { insertContract } from '../../catalog/contracts/contracts.store.ts';
import type { Contract, NewContract } from '../../catalog/contracts/contracts.store.ts';
import { CONTRACT_STATUS } from '../../core/order-status.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { withinLimits } from '../../engine/within-limits.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import type { TenantServices } from '../../services.ts';
import { wakeEndpoints } from '../../webhooks/wake-endpoints.ts';
import { approvalRequest } from '../../approvals/approval-request.ts';
import { deployKind } from './deploy-kind.ts';

/**
 * Stores the record of a contract that is to be deployed, DEPLOYING, and wakes its lane. A forwarder may need approval first.
 * @param controllers Who else will control it, and so must be allowed as a receiver.
 */
export async function acceptDeployment(
  services: TenantServices,
  values: Omit<NewContract, 'id' | 'status' | 'createdAt' | 'updatedAt'>,
  controllers: readonly Address[] = [],
): Promise<Contract> {
  const { db, account, clock, newId } = services;
  const now = new Date(clock.now());
  const record = { ...values, id: newId(), status: CONTRACT_STATUS.waiting, createdAt: now, updatedAt: now };
  const approval = values.ercStandard === 'Forwarder' ? approvalRequest(services, 'deploy-forwarder', now) : undefined;
  const parties: typeof deployKind.parties = (order) => {
    const { contract, receivers } = deployKind.parties(order);
    return { contract, receivers: [...receivers, ...controllers] };
  };
  const { contract, endpointIds } = await withinLimits(services, () =>
    insertContract(db, { ...deployKind, parties }, account.walletAddress, record, approval),
  );
  await Promise.all([
    wakeLanes(services, deployKind, [laneOf(values.chainId, account.walletAddress)]),
    wakeEndpoints(services, endpointIds),
  ]);
  return contract;
}
