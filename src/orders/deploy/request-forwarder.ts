import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { DEFAULT_CHAIN } from '../../chains/list.ts';
import { chainIdField, nameField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { insertContract } from '../../catalog/contracts/contracts.store.ts';
import type { Contract } from '../../catalog/contracts/contracts.store.ts';
import { deployKind } from './deploy-kind.ts';

/** Specification, POST /contracts/forwarder. */
export const forwarderInput = z
  .object({
    chainId: chainIdField.default(DEFAULT_CHAIN.id),
    alias: nameField(50).meta({ description: 'A display name' }),
  })
  .meta({ id: 'DeployForwarder' });

/** Accepts the deployment of an EIP-2771 forwarder: a contract record with ercStandard Forwarder. */
export async function requestForwarder(
  services: TenantServices,
  input: z.output<typeof forwarderInput>,
): Promise<Contract> {
  const { db, account, chains, clock, newId } = services;
  requireAllowedChain(chains, input.chainId);
  const now = new Date(clock.now());
  const forwarder = await insertContract(db, deployKind, account.walletAddress, {
    id: newId(),
    chainId: input.chainId,
    alias: input.alias,
    ercStandard: 'Forwarder',
    status: 'DEPLOYING',
    createdAt: now,
    updatedAt: now,
  });
  await wakeLanes(services, deployKind, [laneOf(input.chainId, account.walletAddress)]);
  return forwarder;
}
