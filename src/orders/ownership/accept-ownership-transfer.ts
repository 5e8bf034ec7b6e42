import { z } from 'zod';
import { approvalRequest } from '../../approvals/approval-request.ts';
import { findContractByAddress } from '../../catalog/contracts/contracts.store.ts';
import { missingContract } from '../../catalog/contracts/missing-contract.ts';
import { requireOwner } from '../../catalog/contracts/require-owner.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { readContract, valueOf } from '../../chains/contract-reads.ts';
import { credibleHeight } from '../../chains/credible-height.ts';
import { ownerView, pendingOwnerView } from '../../chains/views.ts';
import { DomainError } from '../../core/domain-error.ts';
import { chainIdField, contractAddressField, receiverField } from '../../core/fields.ts';
import { newRecord } from '../../core/record-id.ts';
import { wakeLanes } from '../../engine/wake-lanes.ts';
import { laneOf } from '../../engine/wallet-lane.ts';
import { withinLimits } from '../../engine/within-limits.ts';
import type { TenantServices } from '../../services.ts';
import { wakeEndpoints } from '../../webhooks/wake-endpoints.ts';
import { unlessUnderWay } from '../equal-orders.store.ts';
import { findEarlier } from '../find-earlier.ts';
import { insertOrder } from '../orders.store.ts';
import { ownershipTransferKind, type OwnershipTransfer } from './ownership-transfer-kind.ts';
import { ownershipTransfers } from '../order-forms.ts';

/** Specification, POST /contracts/transfer-ownership. */
export const ownershipTransferInput = z
  .strictObject({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    newOwnerAddress: receiverField.meta({ description: 'Who becomes the owner; not the zero address' }),
  })
  .meta({ id: 'TransferOwnership' });

/**
 * Accepts the ownership transfer of one of the account's contracts.
 * @throws {DomainError} `not-found` if the account has no such ACTIVE contract; `conflict` if its wallet is not the
 *   owner on chain, if the new owner would have to accept it, or if an equal transfer is under way; `upstream` if the
 *   chain does not answer.
 */
export async function acceptOwnershipTransfer(
  services: TenantServices,
  input: z.output<typeof ownershipTransferInput>,
): Promise<OwnershipTransfer> {
  const { db, account, chains } = services;
  const { id, now } = newRecord(services);
  const earlier = await findEarlier(services, ownershipTransfers, [ownershipTransferKind], id);
  if (earlier !== undefined) return earlier;

  const chain = requireAllowedChain(chains, input.chainId);
  const contract = await findContractByAddress(db, input.chainId, input.contractAddress);
  if (contract === undefined || contract.ercStandard === 'Forwarder') throw await missingContract(db, input);
  const [answer, pending, blockNumber] = await Promise.all([
    readContract(chain.client, ownerView(input.contractAddress)),
    readContract(chain.client, pendingOwnerView(input.contractAddress)),
    // Last in the batch, so that nothing read before it is from a newer block.
    credibleHeight(chain),
  ]);
  requireOwner(answer, account.walletAddress);
  if (valueOf(pending) !== undefined) {
    throw new DomainError(
      'conflict',
      'The new owner of the contract would have to accept it (Ownable2Step): transfer it without this service',
    );
  }
  const values = {
    id,
    contractId: contract.id,
    chainId: input.chainId,
    contractAddress: input.contractAddress,
    newOwnerAddress: input.newOwnerAddress,
    createdAt: now,
  };
  const approval = approvalRequest(services, 'transfer-ownership', now);
  const transaction = { walletAddress: account.walletAddress, notBeforeBlock: blockNumber, approval };
  const { order, endpointIds } = await unlessUnderWay('transfers it to the same owner', () =>
    withinLimits(services, () =>
      insertOrder(db, ownershipTransfers, ownershipTransferKind, values, transaction, {
        receiverAddress: values.newOwnerAddress,
      }),
    ),
  );
  wakeLanes(services, ownershipTransferKind, [laneOf(chain.id, account.walletAddress)]);
  wakeEndpoints(services, endpointIds);
  return order;
}
