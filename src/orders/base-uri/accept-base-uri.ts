import { z } from 'zod';
import { findContractByAddress } from '../../catalog/contracts/contracts.store.ts';
import { missingContract } from '../../catalog/contracts/missing-contract.ts';
import { publicBases } from '../../catalog/metadata/own-urls.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { readRefusal } from '../../chains/contract-reads.ts';
import { DomainError } from '../../core/domain-error.ts';
import { chainIdField, contractAddressField, urlField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { baseUriKind, encodeBaseUriChange, type BaseUriChange } from './base-uri-kind.ts';
import { acceptContractOrder, readOwned } from '../accept-contract-order.ts';
import { baseUriChanges } from '../order-forms.ts';

/** POST /contracts/base-uri. */
export const baseUriInput = z
  .strictObject({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    metadataBaseUri: urlField('base').optional().meta({
      description:
        'Token URIs are this, the contract address and the token id. Default: METADATA_BASE_URI, or without that /metadata on the origin of the request',
      example: 'https://nft.example.com/metadata',
    }),
  })
  .meta({ id: 'SetBaseUri' });

/** Changes to any base exclude each other: the last one accepted is the last one carried out. */
const CHANGES = { stored: baseUriChanges, kind: baseUriKind, does: "changes the contract's base URI" };

/**
 * Accepts the order to change the base URI of one of the account's standard contracts.
 * @throws {DomainError} `not-found` if the account has no such ACTIVE contract; `conflict` if it is one of certificates,
 *   if the account's wallet is not its owner on chain, if it has no function for it, or if another change is under way;
 *   `upstream` if the chain does not answer.
 */
export async function acceptBaseUri(
  services: TenantServices,
  input: z.output<typeof baseUriInput>,
): Promise<BaseUriChange> {
  const { db, account, chains } = services;
  const { chainId, contractAddress } = input;
  return await acceptContractOrder(services, CHANGES, async ({ id, createdAt }) => {
    const chain = requireAllowedChain(chains, chainId);
    const contract = await findContractByAddress(db, chainId, contractAddress);
    if (contract === undefined || contract.ercStandard === 'Forwarder') throw await missingContract(db, input);
    if (contract.contractType === 'certificate') {
      throw new DomainError('conflict', 'The contract is one of certificates, whose base URI never changes');
    }
    const [ownBase = ''] = publicBases(services);
    const metadataBaseUri = input.metadataBaseUri ?? ownBase;
    const order = { id, contractId: contract.id, chainId, contractAddress, metadataBaseUri, createdAt };
    const call = { from: account.walletAddress, to: contractAddress, data: encodeBaseUriChange(order) };
    const refusal = readRefusal(chain.client, call);
    const { reading, blockNumber } = await readOwned(services, chain, contractAddress, refusal);
    if (reading !== undefined) {
      throw new DomainError('conflict', `The contract has no function to change its base URI. ${reading}`);
    }
    return { order, same: { contractId: contract.id }, notBeforeBlock: blockNumber };
  });
}
