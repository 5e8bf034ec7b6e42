import { z } from 'zod';
import { findContractByAddress } from '../../catalog/contracts/contracts.store.ts';
import { missingContract } from '../../catalog/contracts/missing-contract.ts';
import { requireOwner } from '../../catalog/contracts/require-owner.ts';
import { publicBases } from '../../catalog/metadata/own-urls.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { readContract, readRefusal } from '../../chains/contract-reads.ts';
import { credibleHeight } from '../../chains/credible-height.ts';
import { ownerView } from '../../chains/views.ts';
import { DomainError } from '../../core/domain-error.ts';
import { chainIdField, contractAddressField, urlField } from '../../core/fields.ts';
import { newRecord } from '../../core/record-id.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../engine/within-limits.ts';
import type { TenantServices } from '../../services.ts';
import { unlessUnderWay } from '../equal-orders.store.ts';
import { findEarlier } from '../find-earlier.ts';
import { insertOrder } from '../orders.store.ts';
import { baseUriKind, encodeBaseUriChange, type BaseUriChange } from './base-uri-kind.ts';
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
  const { id, now } = newRecord(services);
  const earlier = await findEarlier(services, baseUriChanges, [baseUriKind], id);
  if (earlier !== undefined) return earlier;

  const chain = requireAllowedChain(chains, chainId);
  const contract = await findContractByAddress(db, chainId, contractAddress);
  if (contract === undefined || contract.ercStandard === 'Forwarder') throw await missingContract(db, input);
  if (contract.contractType === 'certificate') {
    throw new DomainError('conflict', 'The contract is one of certificates, whose base URI never changes');
  }
  const [ownBase = ''] = publicBases(services);
  const order = {
    id,
    contractId: contract.id,
    chainId,
    contractAddress,
    metadataBaseUri: input.metadataBaseUri ?? ownBase,
    createdAt: now,
  };
  const [answer, refusal, notBeforeBlock] = await Promise.all([
    readContract(chain.client, ownerView(contractAddress)),
    readRefusal(chain.client, { from: account.walletAddress, to: contractAddress, data: encodeBaseUriChange(order) }),
    // Last in the batch, so that nothing read before it is from a newer block.
    credibleHeight(chain),
  ]);
  requireOwner(answer, account.walletAddress);
  if (refusal !== undefined) {
    throw new DomainError('conflict', `The contract has no function to change its base URI. ${refusal}`);
  }
  const transaction = { walletAddress: account.walletAddress, notBeforeBlock };
  // Of any base: the last that is accepted is the last that is carried out.
  const stored = await unlessUnderWay("changes the contract's base URI", () =>
    withinLimits(services, () =>
      insertOrder(db, baseUriChanges, baseUriKind, order, transaction, { contractId: contract.id }),
    ),
  );
  wakeLanes(services, baseUriKind, [laneOf(chainId, account.walletAddress)]);
  return stored.order;
}
