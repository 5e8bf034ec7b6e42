import { isAddressEqual } from 'viem';
import { z } from 'zod';
import { invalidInput } from '../../core/domain-error.ts';
import { addressField, chainIdField, nameField, receiverField, urlField } from '../../core/fields.ts';
import { chainIssue } from '../../chains/allowed-chain.ts';
import { BURN_AUTHS } from '../../chains/views.ts';
import { DEFAULT_CHAIN } from '../../chains/list.ts';
import type { TenantServices } from '../../services.ts';
import type { Contract } from '../../catalog/contracts/contracts.store.ts';
import { isForeignForwarder } from '../../catalog/contracts/is-foreign-forwarder.ts';
import { acceptDeployment } from './accept-deployment.ts';
import { chooseTrustedForwarder } from './trusted-forwarder.ts';

/** Specification, POST /contracts/deploy. */
export const deploymentInput = z
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
      description: 'ERC-2981 receiver. Default: transferOwnerAddress, else currentOwnerAddress; not for certificates',
    }),
    royaltyFeeBps: z
      .int()
      .min(0)
      .max(10_000)
      .default(0)
      .meta({ description: 'Royalty, in basis points of the price; not for certificates', example: 250 }),
    metadataBaseUri: urlField('base').optional().meta({
      description:
        'Token URIs are this, the contract address and the token id. Default: METADATA_BASE_URI; not for certificates',
      example: 'https://nft.example.com/metadata',
    }),
    burnAuth: z.enum(BURN_AUTHS).optional().meta({
      description:
        'Who may burn the certificates, for good (ERC-5484): their holder, their issuer by revoking them, both or neither. Default: holder. Certificates only',
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
  const trustedForwarder = chain && (await chooseTrustedForwarder(services, chain, input.trustedForwarder));
  if (typeof trustedForwarder === 'object') issues.push(trustedForwarder);
  if (chain === undefined || issues.length > 0 || typeof trustedForwarder === 'object') throw invalidInput(issues);
  const standard = input.contractType === 'standard';
  const isGiven = trustedForwarder !== undefined && (await isForeignForwarder(services, chain.id, trustedForwarder));
  const values = {
    chainId: input.chainId,
    name: input.name,
    symbol: input.symbol,
    ercStandard: input.ercStandard,
    contractType: input.contractType,
    currentOwnerAddress: owner,
    royaltyReceiver: standard ? (input.royaltyReceiver ?? input.transferOwnerAddress ?? owner) : null,
    royaltyFeeBps: standard ? input.royaltyFeeBps : null,
    metadataBaseUri: standard ? (input.metadataBaseUri ?? settings.METADATA_BASE_URI ?? null) : null,
    trustedForwarder: trustedForwarder ?? null,
    burnAuth: standard ? null : (input.burnAuth ?? 'holder'),
    transferOwnerAddress: input.transferOwnerAddress ?? null,
  };
  return await acceptDeployment(services, values, isGiven ? [trustedForwarder] : []);
}
