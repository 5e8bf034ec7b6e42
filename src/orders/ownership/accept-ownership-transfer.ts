import { z } from 'zod';
import { approvalRequest } from '../approval-request.ts';
import { findContractByAddress } from '../../catalog/contracts/contracts.store.ts';
import { missingContract } from '../../catalog/contracts/missing-contract.ts';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { readContract, valueOf } from '../../chains/contract-reads.ts';
import { pendingOwnerView } from '../../catalog/contracts/views.ts';
import { DomainError } from '../../core/domain-error.ts';
import { chainIdField, contractAddressField, receiverField } from '../../core/fields.ts';
import type { TenantServices } from '../../services.ts';
import { ownershipTransferKind, type OwnershipTransfer } from './ownership-transfer-kind.ts';
import { acceptContractOrder, readOwned } from '../accept-contract-order.ts';
import { ownershipTransfers } from '../order-forms.ts';

/** Specification, POST /contracts/transfer-ownership. */
export const ownershipTransferInput = z
  .strictObject({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    newOwnerAddress: receiverField.meta({ description: 'Who becomes the owner; not the zero address' }),
  })
  .meta({ id: 'TransferOwnership' });

const TRANSFERS = {
  stored: ownershipTransfers,
  kind: ownershipTransferKind,
  does: 'transfers it to the same owner',
};

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
  const { db, chains } = services;
  const { chainId, contractAddress, newOwnerAddress } = input;
  return await acceptContractOrder(services, TRANSFERS, async ({ id, createdAt }) => {
    const chain = requireAllowedChain(chains, chainId);
    const contract = await findContractByAddress(db, chainId, contractAddress);
    if (contract === undefined || contract.ercStandard === 'Forwarder') throw await missingContract(db, input);
    const pendingOwner = readContract(chain.client, pendingOwnerView(contractAddress));
    const { reading, blockNumber } = await readOwned(services, chain, contractAddress, pendingOwner);
    if (valueOf(reading) !== undefined) {
      throw new DomainError(
        'conflict',
        'The new owner of the contract would have to accept it (Ownable2Step): transfer it without this service',
      );
    }
    return {
      order: { id, contractId: contract.id, chainId, contractAddress, newOwnerAddress, createdAt },
      same: { receiverAddress: newOwnerAddress },
      notBeforeBlock: blockNumber,
      approval: approvalRequest(services, 'transfer-ownership', createdAt),
    };
  });
}
