import { z } from 'zod';
import { addressField, chainIdField, httpUrlField, nameField } from '../../http/fields.ts';
import { requireAllowedChain } from '../../chain/allowed-chain.ts';
import { DEFAULT_CHAIN } from '../../chains/list.ts';
import { newestForwarder } from '../../db/newest-forwarder.ts';
import type { TenantServices } from '../../services.ts';
import { insertContract } from './contracts.ts';
import type { Contract } from './contracts.ts';

/** Specification, POST /contracts/deploy. */
export const deploymentInput = z
  .object({
    chainId: chainIdField.default(DEFAULT_CHAIN.id),
    name: nameField(50),
    symbol: nameField(8),
    currentOwnerAddress: addressField.optional().meta({ description: "Default: the account's signing wallet" }),
    ercStandard: z.enum(['721', '1155'], 'must be 721 or 1155'),
    contractType: z.enum(['standard', 'certificate'], 'must be standard or certificate'),
    royaltyReceiver: addressField
      .optional()
      .meta({ description: 'Default: currentOwnerAddress; not for certificates' }),
    royaltyFeeBps: z
      .int('must be a whole number of basis points')
      .min(0, 'must be 0 or more')
      .max(10_000, 'must be 10000 or less')
      .default(0),
    metadataBaseUri: httpUrlField.optional().meta({ description: 'Default: METADATA_BASE_URI; not for certificates' }),
    trustedForwarder: addressField.optional().meta({
      description: "Default: TRUSTED_FORWARDER_ADDRESS, else the account's newest ACTIVE forwarder on the chain",
    }),
    transferOwnerAddress: addressField.optional(),
  })
  .meta({ id: 'DeployContract' });

/** Accepts a deployment: stores the record, DEPLOYING, and wakes the queue. Defaults are decided here, once. */
export async function requestDeployment(
  { db, account, settings, chains, clock, queues, newId }: TenantServices,
  input: z.output<typeof deploymentInput>,
): Promise<Contract> {
  requireAllowedChain(chains, input.chainId);
  const now = new Date(clock.now());
  const owner = input.currentOwnerAddress ?? account.walletAddress;
  const standard = input.contractType === 'standard';
  const contract = await insertContract(db, {
    id: newId(),
    chainId: input.chainId,
    name: input.name,
    symbol: input.symbol,
    ercStandard: input.ercStandard,
    contractType: input.contractType,
    status: 'DEPLOYING',
    currentOwnerAddress: owner,
    royaltyReceiver: standard ? (input.royaltyReceiver ?? owner) : null,
    royaltyFeeBps: standard ? input.royaltyFeeBps : null,
    metadataBaseUri: standard ? (input.metadataBaseUri ?? settings.METADATA_BASE_URI ?? null) : null,
    trustedForwarder:
      input.trustedForwarder ?? settings.trustedForwarder ?? (await newestForwarder(db, input.chainId)) ?? null,
    transferOwnerAddress: input.transferOwnerAddress ?? null,
    createdAt: now,
    updatedAt: now,
  });
  await queues.send([{ kind: 'deploy', id: contract.id }]);
  return contract;
}
