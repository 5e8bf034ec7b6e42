import { isAddressEqual } from 'viem';
import { z } from 'zod';
import { findContractOfMetadata } from '../../catalog/contracts/contracts.store.ts';
import { missingContract } from '../../catalog/contracts/missing-contract.ts';
import { findMetadata } from '../../catalog/metadata/metadata.store.ts';
import { foundMetadata } from '../../catalog/metadata/read-metadata.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { withChainErrors, CALL_GAS, readContract, valueOf } from '../../chains/contract-reads.ts';
import { credibleHeight } from '../../chains/credible-height.ts';
import { ownerView } from '../../chains/views.ts';
import { DomainError } from '../../core/domain-error.ts';
import { recordIdField } from '../../core/fields.ts';
import { newRecord } from '../../core/record-id.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../engine/within-limits.ts';
import { chainNotifications } from '../../platform/database/schema.ts';
import type { TenantServices } from '../../services.ts';
import { unlessUnderWay } from '../equal-orders.store.ts';
import { findEarlier } from '../find-earlier.ts';
import { insertOrder } from '../orders.store.ts';
import { encodeNotification, notificationKind, type Notification } from './notification-kind.ts';

export const notificationInput = z
  .strictObject({ metadataId: recordIdField.meta({ description: '`_id` of the metadata; it is linked to a token' }) })
  .meta({ id: 'NotifyChain' });

/**
 * Accepts the order to announce on chain that a token's metadata has changed.
 * @throws {DomainError} `not-found` if the account has no such metadata or ACTIVE contract; `conflict` if the metadata
 *   is linked to no token, if the account's wallet is not the contract's owner, if nothing is left of an ERC-721 token,
 *   if the contract cannot announce changes, or if an order for the same token is under way; `upstream` if the chain
 *   does not answer.
 */
export async function acceptNotification(
  services: TenantServices,
  { metadataId }: z.output<typeof notificationInput>,
): Promise<Notification> {
  const { db, account } = services;
  const { id, now } = newRecord(services);
  const earlier = await findEarlier(services, [notificationKind], id);
  if (earlier !== undefined) return earlier;

  const [found, [contract]] = await db.sql.batch([
    findMetadata(db, metadataId),
    findContractOfMetadata(db, metadataId),
  ]);
  const { chainId, contractAddress, tokenId } = foundMetadata(services, found);
  if (contractAddress === null || tokenId === null) {
    throw new DomainError('conflict', 'The metadata is not linked to a token yet');
  }
  if (contract === undefined || contract.ercStandard === 'Forwarder')
    throw await missingContract(db, { chainId, contractAddress });
  const notBeforeBlock = await requireAnnouncing(services, { chainId, contractAddress, tokenId });
  const values = {
    id,
    metadataId,
    contractId: contract.id,
    chainId,
    contractAddress,
    tokenId,
    status: 'PENDING' as const,
    createdAt: now,
    updatedAt: now,
  };
  const transaction = { walletAddress: account.walletAddress, notBeforeBlock };
  const { order } = await unlessUnderWay('announces the same', () =>
    withinLimits(services, () =>
      insertOrder(db, chainNotifications, notificationKind, values, transaction, { tokenId: values.tokenId }),
    ),
  );
  wakeLanes(services, notificationKind, [laneOf(chainId, account.walletAddress)]);
  return order;
}

type Token = Pick<Notification, 'chainId' | 'contractAddress' | 'tokenId'>;

/** @returns the block that was read, or a later one. */
async function requireAnnouncing({ account, chains }: TenantServices, token: Token): Promise<number> {
  const chain = requireAllowedChain(chains, token.chainId);
  const { client } = chain;
  const { contractAddress: to } = token;
  const [answer, refusal, blockNumber] = await Promise.all([
    readContract(client, ownerView(to)),
    readRefusal(() =>
      client.call({ account: account.walletAddress, to, data: encodeNotification(token), gas: CALL_GAS }),
    ),
    // Last in the batch, so that nothing read before it is from a newer block.
    credibleHeight(chain),
  ]);
  const owner = valueOf(answer);
  if (owner === undefined || !isAddressEqual(owner, account.walletAddress)) {
    throw new DomainError('not_owner', `The owner of the contract is ${owner ?? 'nobody'}, not the account's wallet`);
  }
  if (refusal !== undefined) {
    throw new DomainError(
      'conflict',
      `The contract cannot announce a change of this token's metadata: the token was burned, or the contract has no function for it. ${refusal}`,
    );
  }
  return blockNumber;
}

/** Why a call reverts; undefined if it does not. */
async function readRefusal(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await withChainErrors(call);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid') return error.message;
    throw error;
  }
}
