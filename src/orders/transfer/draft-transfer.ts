import { z } from 'zod';
import { addressField, chainIdField, contractAddressField, receiverField, tokenIdField } from '../../core/fields.ts';
import type { InputIssue } from '../../core/domain-error.ts';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
import type { TenantServices } from '../../services.ts';
import { forwarderAddressField, gasLimitField } from '../../relay/forward-fields.ts';
import { findTokenContract } from '../../catalog/contracts/contracts.store.ts';

/** What a transfer is, in the body of every request that has one. */
export const transferFields = {
  chainId: chainIdField,
  contractAddress: contractAddressField,
  ercStandard: z
    .enum(['721', '1155'], 'must be 721 or 1155')
    .optional()
    .meta({ description: "Required unless the contract is one of the account's" }),
  tokenId: tokenIdField,
  amount: z
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .optional()
    .meta({ description: 'ERC-721: absent or 1. ERC-1155: default 1' }),
  from: addressField.meta({ description: 'Holder and signer' }),
  to: receiverField,
  gasLimit: gasLimitField,
  forwarderAddress: forwarderAddressField.optional(),
};

/** The fields of {@link transferFields} that say what is to move. */
type TransferInput = Omit<TokenTransfer, 'ercStandard' | 'amount'> & {
  readonly chainId: string;
  readonly ercStandard?: '721' | '1155' | undefined;
  readonly amount?: number | undefined;
};

/**
 * What is to move, as far as the account's own data can tell: the standard of a contract that it knows is not the
 * caller's to say.
 * @returns every fault; the move is undefined where the standard is not known.
 */
export async function draftTransfer(
  { db, settings }: TenantServices,
  input: TransferInput,
): Promise<{ readonly faults: readonly InputIssue[]; readonly move: TokenTransfer | undefined }> {
  const contract = await findTokenContract(db, input.chainId, input.contractAddress);
  const faults: InputIssue[] = [];
  const fault = (path: string, message: string) => faults.push({ path, message });
  if (contract === undefined && !settings.ALLOW_FOREIGN_CONTRACTS) {
    fault('contractAddress', "is not one of the account's ACTIVE contracts");
    return { faults, move: undefined };
  }
  if (contract?.ercStandard === 'Forwarder') {
    fault('contractAddress', 'is a forwarder, which has no tokens');
    return { faults, move: undefined };
  }
  if (contract?.contractType === 'certificate') {
    fault('contractAddress', 'is a certificate contract, whose tokens stay with their holders');
  }
  const ercStandard = contract?.ercStandard ?? input.ercStandard;
  if (ercStandard === undefined) {
    fault('ercStandard', "is required: the contract is not one of the account's");
    return { faults, move: undefined };
  }
  if (input.ercStandard !== undefined && input.ercStandard !== ercStandard) {
    fault('ercStandard', `must be absent or ${ercStandard}, the standard of this contract`);
  }
  if (ercStandard === '721' && input.amount !== undefined && input.amount !== 1) {
    fault('amount', 'must be absent or 1 for an ERC-721 contract');
  }
  const { contractAddress, from, to, tokenId } = input;
  return { faults, move: { contractAddress, ercStandard, from, to, tokenId, amount: input.amount ?? 1 } };
}
