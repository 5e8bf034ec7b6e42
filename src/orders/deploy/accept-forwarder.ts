import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { DEFAULT_CHAIN } from '../../chains/list.ts';
import { chainIdField, nameField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import type { Contract } from '../../catalog/contracts/contracts.store.ts';
import { acceptDeployment } from './accept-deployment.ts';

/** Specification, POST /contracts/forwarder. */
export const forwarderInput = z
  .strictObject({
    chainId: chainIdField.default(DEFAULT_CHAIN.id),
    alias: nameField(50).meta({ description: 'A display name', example: 'main' }),
  })
  .meta({ id: 'DeployForwarder' });

/** Accepts the deployment of an EIP-2771 forwarder: a contract record with ercStandard Forwarder. */
export async function acceptForwarder(
  services: TenantServices,
  input: z.output<typeof forwarderInput>,
): Promise<Contract> {
  requireAllowedChain(services.chains, input.chainId);
  const { chainId, alias } = input;
  return await acceptDeployment(services, { chainId, alias, ercStandard: 'Forwarder' });
}
