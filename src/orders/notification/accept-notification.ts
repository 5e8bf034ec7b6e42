import { z } from 'zod';
import { findContractOfMetadata } from '../../catalog/contracts/contracts.store.ts';
import { getContract } from '../../catalog/contracts/read-contracts.ts';
import { missingContract } from '../../catalog/contracts/missing-contract.ts';
import { findMetadata } from '../../catalog/metadata/metadata.store.ts';
import { foundMetadata } from '../../catalog/metadata/read-metadata.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { readRefusal } from '../../chains/contract-reads.ts';
import { DomainError } from '../../core/domain-error.ts';
import { recordIdField } from '../../core/fields.ts';
import { broken } from '../../core/validation-messages.ts';
import type { TenantServices } from '../../services.ts';
import { encodeNotification, notificationKind, type Notification } from './notification-kind.ts';
import { runBatch } from '../../platform/database/client.ts';
import { acceptContractOrder, readOwned } from '../accept-contract-order.ts';
import { chainNotifications } from '../order-forms.ts';

export const notificationInput = z
  .strictObject({
    metadataId: recordIdField
      .optional()
      .meta({ description: '`_id` of the metadata of a token, or contractId instead. It must be linked to a token' }),
    contractId: recordIdField
      .optional()
      .meta({ description: '`_id` of a contract, for the metadata of its collection, or metadataId instead' }),
  })
  .superRefine(({ metadataId, contractId }, context) => {
    if ((metadataId === undefined) !== (contractId === undefined)) return;
    const issue =
      metadataId === undefined
        ? broken('required', 'is required, unless contractId is given')
        : broken('not_allowed', 'must not be given with contractId');
    context.addIssue({ code: 'custom', path: ['metadataId'], ...issue });
  })
  .meta({ id: 'NotifyChain' });

const NOTIFICATIONS = { stored: chainNotifications, kind: notificationKind, does: 'announces the same' };

/**
 * Accepts the order to announce on chain that the metadata of a token, or of a collection, has changed.
 * @throws {DomainError} `not-found` if the account has no such metadata or ACTIVE contract; `conflict` if the metadata
 *   is linked to no token, if the account's wallet is not the contract's owner, if nothing is left of an ERC-721 token,
 *   if the contract cannot announce changes, or if an order for the same is under way; `upstream` if the chain does not
 *   answer.
 */
export async function acceptNotification(
  services: TenantServices,
  { metadataId = '', contractId }: z.output<typeof notificationInput>,
): Promise<Notification> {
  return await acceptContractOrder(services, NOTIFICATIONS, async ({ id, createdAt }) => {
    const changed =
      contractId === undefined
        ? await changedToken(services, metadataId)
        : await changedCollection(services, contractId);
    const notBeforeBlock = await requireAnnouncing(services, changed);
    return { order: { id, ...changed, createdAt }, same: { tokenId: changed.tokenId }, notBeforeBlock };
  });
}

/** Whose metadata has changed. */
type Changed = Pick<Notification, 'contractId' | 'metadataId' | 'chainId' | 'contractAddress' | 'tokenId'>;

async function changedToken(services: TenantServices, metadataId: string): Promise<Changed> {
  const { db } = services;
  const {
    found,
    contracts: [contract],
  } = await runBatch(db, {
    found: findMetadata(db, metadataId),
    contracts: findContractOfMetadata(db, metadataId),
  });
  const { chainId, contractAddress, tokenId } = foundMetadata(services, found);
  if (contractAddress === null || tokenId === null) {
    throw new DomainError('conflict', 'The metadata is not yet linked to a token');
  }
  if (contract === undefined || contract.ercStandard === 'Forwarder')
    throw await missingContract(db, { chainId, contractAddress });
  return { contractId: contract.id, metadataId, chainId, contractAddress, tokenId };
}

async function changedCollection(services: TenantServices, contractId: string): Promise<Changed> {
  const { chainId, contractAddress, status, ercStandard } = await getContract(services, contractId);
  if (status !== 'ACTIVE' || contractAddress === null || ercStandard === 'Forwarder') {
    const what = ercStandard === 'Forwarder' ? 'a forwarder, which has no collection' : status;
    throw new DomainError('contract_not_active', `Active contract not found: contract ${contractId} is ${what}`);
  }
  return { contractId, metadataId: null, chainId, contractAddress, tokenId: null };
}

/** @returns the block that was read, or a later one. */
async function requireAnnouncing(services: TenantServices, changed: Changed): Promise<number> {
  const chain = requireAllowedChain(services.chains, changed.chainId);
  const { contractAddress: to, tokenId } = changed;
  const call = { from: services.account.walletAddress, to, data: encodeNotification(changed) };
  const { reading: refusal, blockNumber } = await readOwned(services, chain, to, readRefusal(chain.client, call));
  if (refusal !== undefined) {
    const what =
      tokenId === null
        ? "of the collection's metadata: it has no function for it"
        : "of this token's metadata: the token was burned, or the contract has no function for it";
    throw new DomainError('conflict', `The contract cannot announce a change ${what}. ${refusal}`);
  }
  return blockNumber;
}
