import { isAddressEqual, type Address } from 'viem';
import { z } from 'zod';
import { approvalRequest } from '../approval-request.ts';
import {
  findContract,
  insertContract,
  type Contract,
  type NewContract,
} from '../../catalog/contracts/contracts.store.ts';
import { isRecord } from '../../catalog/metadata/json-value.ts';
import { publicBases } from '../../catalog/metadata/own-urls.ts';
import { chainIssue, requireAllowedChain } from '../../chains/allowed-chain.ts';
import { DEFAULT_CHAIN } from '../../chains/list.ts';
import { BURN_AUTHS } from '../../platform/database/schema.ts';
import { invalidInput } from '../../core/domain-error.ts';
import { addressField, chainIdField, nameField, receiverField, urlField } from '../../core/fields.ts';
import { newRecord } from '../../core/record-id.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../limits/within-limits.ts';
import type { TenantServices } from '../../services.ts';
import { wakeEndpoints } from '../../webhooks/wake-endpoints.ts';
import { wakeEarlier } from '../find-earlier.ts';
import { deployKind } from './deploy-kind.ts';
import { chooseTrustedForwarder } from './trusted-forwarder.ts';

/** Specification, POST /contracts/deploy. */
const deploymentFields = z
  .strictObject({
    chainId: chainIdField.default(DEFAULT_CHAIN.id),
    name: nameField(50).meta({ description: 'Name of the contract on chain', example: 'Opening night' }),
    symbol: nameField(8).meta({ description: 'Symbol of the contract on chain', example: 'TIX' }),
    currentOwnerAddress: receiverField
      .optional()
      .meta({ description: "Owner right after the deployment. Default: the account's signing wallet" }),
    ercStandard: z.enum(['721', '1155']).meta({ description: 'Token standard: ERC-721 or ERC-1155' }),
    contractType: z
      .enum(['standard', 'certificate'])
      .meta({ description: 'standard: tokens can be transferred. certificate: they cannot' }),
    royaltyReceiver: receiverField.optional().meta({
      description: 'ERC-2981 receiver. Default: currentOwnerAddress. Ignored for certificates',
    }),
    royaltyFeeBps: z
      .int()
      .min(0)
      .max(10_000)
      .default(0)
      .meta({ description: 'Royalty, in basis points of the price. Ignored for certificates', example: 250 }),
    metadataBaseUri: urlField('base').optional().meta({
      description:
        'Token URIs are this, the contract address and the token id. Default: METADATA_BASE_URI. Ignored for certificates',
      example: 'https://nft.example.com/metadata',
    }),
    burnAuth: z.enum(BURN_AUTHS).optional().meta({
      description:
        'Who may burn the certificates, fixed at deployment (ERC-5484): their holder, their issuer by revoking them, both or neither. Default: holder, and then you can never revoke one. Certificates only',
    }),
    trustedForwarder: addressField.optional().meta({
      description:
        "Fixed at deployment. Default: TRUSTED_FORWARDER_ADDRESS_<chainId>, else the account's newest ACTIVE forwarder on the chain. The zero address: none",
    }),
    transferOwnerAddress: receiverField.optional().meta({
      description:
        "The final owner. The account's signing wallet transfers the ownership, so it must be the first owner",
    }),
  })
  .meta({ id: 'DeployContract' });

/** {@link deploymentFields}, of a certificate contract without those that it ignores, whatever they are. */
export const deploymentInput = z.preprocess((input) => {
  if (!isRecord(input) || input['contractType'] !== 'certificate') return input;
  const { royaltyReceiver: _receiver, royaltyFeeBps: _fee, metadataBaseUri: _base, ...fields } = input;
  return fields;
}, deploymentFields);

/**
 * Accepts a deployment: stores the record as DEPLOYING, with all defaults resolved, and wakes its lane.
 * @throws {DomainError} `invalid` with every issue: a chain that is not allowed, an address that is not a forwarder, an
 *   ownership transfer that the account's wallet could not make.
 */
export async function acceptContract(
  services: TenantServices,
  input: z.output<typeof deploymentInput>,
): Promise<Contract> {
  const { account, settings, chains } = services;
  const record = newRecord(services);
  const earlier = await wakeEarlier(services, deployKind, () => findContract(services.db, record.id));
  if (earlier !== undefined) return earlier;

  const chain = chains.get(input.chainId);
  const owner = input.currentOwnerAddress ?? account.walletAddress;
  const issues = chain === undefined ? [chainIssue(chains)] : [];
  if (input.transferOwnerAddress !== undefined && !isAddressEqual(owner, account.walletAddress)) {
    const message = `must be absent or the account's wallet ${account.walletAddress}: only the owner can transfer the ownership to transferOwnerAddress`;
    issues.push({ path: 'currentOwnerAddress', message });
  }
  if (input.burnAuth !== undefined && input.contractType === 'standard') {
    issues.push({ path: 'burnAuth', message: 'must be absent: the holders of a standard contract burn' });
  }
  const forwarder = chain && (await chooseTrustedForwarder(services, chain, input.trustedForwarder));
  const isIssue = forwarder !== undefined && 'path' in forwarder;
  if (isIssue) issues.push(forwarder);
  if (chain === undefined || issues.length > 0 || isIssue) throw invalidInput(issues);
  const standard = input.contractType === 'standard';
  const values = {
    chainId: input.chainId,
    name: input.name,
    symbol: input.symbol,
    ercStandard: input.ercStandard,
    contractType: input.contractType,
    currentOwnerAddress: owner,
    royaltyReceiver: standard ? (input.royaltyReceiver ?? owner) : null,
    royaltyFeeBps: standard ? input.royaltyFeeBps : null,
    metadataBaseUri:
      (standard ? (input.metadataBaseUri ?? settings.METADATA_BASE_URI) : publicBases(services)[0]) ?? null,
    trustedForwarder: forwarder?.address ?? null,
    burnAuth: standard ? null : (input.burnAuth ?? 'holder'),
    transferOwnerAddress: input.transferOwnerAddress ?? null,
  };
  return await acceptDeployment(services, record, values, forwarder?.isForeign === true ? [forwarder.address] : []);
}

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
  const record = newRecord(services);
  const earlier = await wakeEarlier(services, deployKind, () => findContract(services.db, record.id));
  if (earlier !== undefined) return earlier;

  requireAllowedChain(services.chains, input.chainId);
  const { chainId, alias } = input;
  return await acceptDeployment(services, record, { chainId, alias, ercStandard: 'Forwarder' });
}

/**
 * Stores the record of a contract that is to be deployed, DEPLOYING, and wakes its lane. A forwarder may need approval
 * first, and so may a contract that somebody else controls.
 * @param controllers Who else will control it, and so must be allowed as a receiver: the forwarder that it trusts, if
 *   that is foreign.
 */
async function acceptDeployment(
  services: TenantServices,
  { id, now }: ReturnType<typeof newRecord>,
  values: Omit<NewContract, 'id' | 'status' | 'createdAt' | 'updatedAt'>,
  controllers: readonly Address[] = [],
): Promise<Contract> {
  const { account } = services;
  const record = { ...values, id, status: 'DEPLOYING' as const, createdAt: now, updatedAt: now };
  const action =
    values.ercStandard === 'Forwarder' ? 'deploy-forwarder' : controllers.length > 0 ? 'deploy-contract' : undefined;
  const approval = action && approvalRequest(services, action, now);
  const parties: typeof deployKind.parties = (order) => {
    const { contract, receivers } = deployKind.parties(order);
    return { contract, receivers: [...receivers, ...controllers] };
  };
  const { contract, endpointIds } = await withinLimits(services, (accepting) =>
    insertContract(accepting, { ...deployKind, parties }, account.walletAddress, record, approval),
  );
  wakeLanes(services, deployKind, [laneOf(values.chainId, account.walletAddress)]);
  wakeEndpoints(services, endpointIds);
  return contract;
}
