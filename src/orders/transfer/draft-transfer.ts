import { z } from 'zod';
import { addressField, chainIdField, contractAddressField, receiverField, tokenIdField } from '../../core/fields.ts';
import type { InputIssue } from '../../core/domain-error.ts';
import type { TokenTransfer } from '../../chains/token-transfer.ts';
import type { TenantServices } from '../../services.ts';
import { deadlineField } from '../../relay/deadline.ts';
import { forwarderAddressField, gasLimitField } from '../../relay/forward-fields.ts';
import { findTokenContract } from '../../catalog/contracts/contracts.store.ts';

/** What tells a transfer from a request that only uses up a nonce. */
export const transferPurpose = {
  purpose: z.literal('transfer').optional().meta({ description: 'A transfer; default' }),
};

/** The fields that define a transfer. */
export const transferFields = {
  chainId: chainIdField,
  contractAddress: contractAddressField,
  ercStandard: z
    .enum(['721', '1155'], 'must be 721 or 1155')
    .optional()
    .meta({ description: "Token standard. Required unless the contract is one of the account's" }),
  tokenId: tokenIdField,
  amount: z
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .optional()
    .meta({ description: 'Number of tokens. ERC-721: absent or 1. ERC-1155: default 1', example: 1 }),
  from: addressField.meta({ description: 'Holder and signer' }),
  to: receiverField.meta({ description: 'Who gets the token; not the zero address' }),
};

/** The same with those of its signed request. */
export const signedTransferFields = {
  ...transferFields,
  gasLimit: gasLimitField,
  forwarderAddress: forwarderAddressField.optional(),
  deadline: deadlineField,
};

/** The fields of {@link transferFields} that define the transfer itself. */
type TransferInput = Omit<TokenTransfer, 'ercStandard' | 'amount'> & {
  readonly chainId: string;
  readonly ercStandard?: '721' | '1155' | undefined;
  readonly amount?: number | undefined;
};

/** What the account's records say of a token contract. */
interface TokenContract {
  readonly ercStandard: '721' | '1155';
  readonly isCertificate: boolean;
}

/**
 * The account's record of a token contract, undefined if it has none; or why gasless requests of its holders are not accepted.
 * @param input The contract's address in lower case.
 */
export async function findTransferable(
  { db, settings }: TenantServices,
  input: Pick<TransferInput, 'chainId' | 'contractAddress'>,
): Promise<{ readonly contract?: TokenContract; readonly issue?: InputIssue }> {
  const path = 'contractAddress';
  const contract = await findTokenContract(db, input.chainId, input.contractAddress);
  if (contract === undefined) {
    const message = "is not one of the account's ACTIVE contracts";
    return settings.ALLOW_FOREIGN_CONTRACTS ? {} : { issue: { path, message, missing: 'Active contract' } };
  }
  const { ercStandard, contractType } = contract;
  if (ercStandard === 'Forwarder') return { issue: { path, message: 'is a forwarder, which has no tokens' } };
  return { contract: { ercStandard, isCertificate: contractType === 'certificate' } };
}

/**
 * Resolves a transfer from the account's records; a recorded contract's standard overrides the caller's.
 * @returns every issue; the transfer is undefined if the standard is unknown.
 */
export async function draftTransfer(
  services: TenantServices,
  input: TransferInput,
): Promise<{ readonly issues: readonly InputIssue[]; readonly transfer: TokenTransfer | undefined }> {
  const { contract, issue } = await findTransferable(services, input);
  if (issue !== undefined) return { issues: [issue], transfer: undefined };
  const issues: InputIssue[] = [];
  const addIssue = (path: string, message: string) => issues.push({ path, message });
  if (contract?.isCertificate === true) {
    addIssue('contractAddress', 'is a certificate contract, whose tokens cannot be transferred');
  }
  const ercStandard = contract?.ercStandard ?? input.ercStandard;
  if (ercStandard === undefined) {
    addIssue('ercStandard', "is required: the contract is not one of the account's");
    return { issues, transfer: undefined };
  }
  if (input.ercStandard !== undefined && input.ercStandard !== ercStandard) {
    addIssue('ercStandard', `must be absent or ${ercStandard}, the standard of this contract`);
  }
  if (ercStandard === '721' && input.amount !== undefined && input.amount !== 1) {
    addIssue('amount', 'must be absent or 1 for an ERC-721 contract');
  }
  const { contractAddress, from, to, tokenId } = input;
  return { issues, transfer: { contractAddress, ercStandard, from, to, tokenId, amount: input.amount ?? 1 } };
}
