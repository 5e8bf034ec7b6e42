import { isAddressEqual } from 'viem';
import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { valueOf } from '../../chains/ask.ts';
import { askOwner } from '../../chains/questions.ts';
import { DomainError, missing } from '../../core/domain-error.ts';
import { chainIdField, contractAddressField, receiverField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { findContractByAddress } from '../../catalog/contracts/contracts.store.ts';
import { insertOwnershipTransfer } from './ownership-transfers.store.ts';
import type { OwnershipTransfer } from './ownership-transfers.store.ts';

/** Specification, POST /contracts/transfer-ownership. */
export const ownershipTransferInput = z
  .object({ chainId: chainIdField, contractAddress: contractAddressField, newOwnerAddress: receiverField })
  .meta({ id: 'TransferOwnership' });

/**
 * Accepts the hand-over of a contract of the account.
 * @throws {DomainError} `missing` where the account has no such ACTIVE contract; `conflict` where its wallet is not the
 *   owner on chain; `upstream` where the chain does not answer.
 */
export async function requestOwnershipTransfer(
  services: TenantServices,
  input: z.output<typeof ownershipTransferInput>,
): Promise<OwnershipTransfer> {
  const { db, account, chains, clock, queues, newId } = services;
  const { client } = requireAllowedChain(chains, input.chainId);
  const contract = await findContractByAddress(db, input.chainId, input.contractAddress);
  if (contract === undefined || contract.ercStandard === 'Forwarder') throw missing('Active contract');
  const owner = valueOf(await askOwner(client, input.contractAddress));
  if (owner === undefined || !isAddressEqual(owner, account.walletAddress)) {
    throw new DomainError('conflict', `The owner of the contract is ${owner ?? 'nobody'}, not the account's wallet`);
  }
  const now = new Date(clock.now());
  const transfer = await insertOwnershipTransfer(db, {
    id: newId(),
    contractId: contract.id,
    chainId: input.chainId,
    contractAddress: input.contractAddress,
    newOwnerAddress: input.newOwnerAddress,
    status: 'PENDING',
    createdAt: now,
    updatedAt: now,
  });
  await queues.send([{ kind: 'transfer-ownership', id: transfer.id }]);
  return transfer;
}
