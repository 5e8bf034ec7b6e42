import { z } from 'zod';
import type { Holding } from '../chains/token-transfer.ts';
import type { InputIssue } from '../core/domain-error.ts';
import type { IssueCode } from '../core/error-codes.ts';
import { amountField, addressField, chainIdField, contractAddressField, tokenIdField } from '../core/fields.ts';
import type { TenantServices } from '../services.ts';
import type { RelayRecords } from './relay-records.store.ts';

/** The fields that name the tokens of a holder. */
export const holdingFields = {
  chainId: chainIdField,
  contractAddress: contractAddressField,
  ercStandard: z
    .enum(['721', '1155'])
    .optional()
    .meta({ description: "Token standard. Required unless the contract is one of the account's" }),
  tokenId: tokenIdField,
  amount: amountField.meta({ description: 'Number of tokens. ERC-721: absent or 1. ERC-1155: default 1', example: 1 }),
  from: addressField.meta({ description: 'Holder and signer' }),
};

/** The parsed {@link holdingFields}. */
type HoldingInput = Omit<Holding, 'ercStandard' | 'amount'> & {
  readonly chainId: string;
  readonly ercStandard?: '721' | '1155' | undefined;
  readonly amount?: number | undefined;
};

/** What the account's records say of a token contract. */
interface TokenContract {
  readonly ercStandard: '721' | '1155';
  readonly isCertificate: boolean;
  /** Whether its record says that holders may not burn. */
  readonly isBurnBlocked: boolean;
}

/**
 * The account's record of a token contract, undefined if it has none; or why gasless requests of its holders are not
 * accepted.
 */
export function holderContract(
  { settings }: Pick<TenantServices, 'settings'>,
  input: Pick<HoldingInput, 'chainId' | 'contractAddress'>,
  { contract }: Pick<RelayRecords, 'contract'>,
): { readonly contract?: TokenContract; readonly issue?: InputIssue } {
  const path = 'contractAddress';
  if (contract === undefined) {
    if (settings.ALLOW_FOREIGN_CONTRACTS) return {};
    const { chainId, contractAddress } = input;
    const message = `is not one of the account's ACTIVE contracts: ${contractAddress} on chain ${chainId}`;
    return { issue: { path, message, missing: 'Active contract' } };
  }
  const { ercStandard, contractType, burnAuth } = contract;
  if (ercStandard === 'Forwarder') return { issue: { path, message: 'is a forwarder, which has no tokens' } };
  const isBurnBlocked = burnAuth === 'issuer' || burnAuth === 'neither';
  return { contract: { ercStandard, isCertificate: contractType === 'certificate', isBurnBlocked } };
}

/**
 * Resolves a holding from the account's records; a recorded contract's standard overrides the caller's.
 * @returns every issue; the holding is undefined if the contract is not accepted or its standard is unknown.
 */
export function draftHolding(
  services: Pick<TenantServices, 'settings'>,
  input: HoldingInput,
  records: Pick<RelayRecords, 'contract'>,
): {
  readonly issues: readonly InputIssue[];
  readonly holding: Holding | undefined;
  readonly contract: TokenContract | undefined;
} {
  const { contract, issue } = holderContract(services, input, records);
  if (issue !== undefined) return { issues: [issue], holding: undefined, contract };
  const issues: InputIssue[] = [];
  const addIssue = (path: string, code: IssueCode, message: string) => issues.push({ path, code, message });
  const ercStandard = contract?.ercStandard ?? input.ercStandard;
  if (ercStandard === undefined) {
    addIssue('ercStandard', 'required', "is required: the contract is not one of the account's");
    return { issues, holding: undefined, contract };
  }
  if (input.ercStandard !== undefined && input.ercStandard !== ercStandard) {
    addIssue('ercStandard', 'not_allowed', `must be absent or ${ercStandard}, the standard of this contract`);
  }
  if (ercStandard === '721' && input.amount !== undefined && input.amount !== 1) {
    addIssue('amount', 'not_allowed', 'must be absent or 1 for an ERC-721 contract');
  }
  const { contractAddress, from, tokenId } = input;
  return {
    issues,
    holding: { contractAddress, ercStandard, from, tokenId, amount: input.amount ?? 1 },
    contract,
  };
}
