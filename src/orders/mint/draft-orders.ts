import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { type Chains } from '../../chains/client.ts';
import { DomainError, invalidInput, invalidMetadata, notFound, type InputIssue } from '../../core/domain-error.ts';
import type { IssueCode } from '../../core/error-codes.ts';
import {
  amountField,
  chainIdField,
  contractAddressField,
  hashField,
  receiverField,
  recordIdField,
  tokenIdField,
  urlField,
} from '../../core/fields.ts';
import { timeOf } from '../../core/record-id.ts';
import type { TenantServices } from '../../services.ts';
import { missingContracts } from '../../catalog/contracts/missing-contract.ts';
import { isOwnUrl, isUrlOfToken, publicBases } from '../../catalog/metadata/own-urls.ts';
import {
  conflictsOf,
  metadataIssues,
  mismatches,
  placesWithout,
  subjectsOf,
  type MintSubjects,
  unknownMetadata,
} from './mint-rules.ts';
import { mintRecords, selectMintRecords, type MintRows, type NewMintingOrder } from './minting-orders.store.ts';

/** Specification, POST /minting/order. */
export const orderInput = z
  .strictObject({
    chainId: chainIdField,
    contractAddress: contractAddressField,
    receiverAddress: receiverField.meta({ description: 'Who gets the token; not the zero address' }),
    tokenId: tokenIdField,
    amount: amountField.meta({ description: 'Number of tokens. ERC-721: absent or 1. ERC-1155: required', example: 1 }),
    metadataId: recordIdField.meta({ description: '`_id` of the metadata' }),
    tokenUri: urlField('media').optional().meta({
      description: 'Where the document is. Required for a certificate; otherwise ignored, but valid if given',
      example: 'https://nft.example.com/metadata/0x8ba1f109551bd432803012645ac136ddd64dba72/1',
    }),
    metadataHash: hashField.optional().meta({
      description:
        'Required for a certificate; otherwise ignored, but valid if given. If tokenUri is a URL of this service, the hash that POST /metadata returned; for a document you host yourself, its own hash',
    }),
  })
  .meta({ id: 'CreateMintingOrder' });

export type OrderInput = z.output<typeof orderInput>;

/** An order to draft, with the id that it is to have. */
export type NamedInput = OrderInput & { readonly id: string };

/** An order with valid fields. {@link conflictOf} decides whether its token and its metadata are free. */
export interface OrderDraft {
  readonly order: Omit<NewMintingOrder, 'mode'>;
  readonly subjects: MintSubjects;
}

/**
 * Validates the fields of orders against the account's records, in one round trip.
 * @returns for each input, in order, the draft or why there is none: `invalid` with every issue; `not-found` if the
 *   contract or the metadata is not the account's.
 */
export async function draftOrders(
  services: TenantServices,
  inputs: readonly NamedInput[],
): Promise<(OrderDraft | DomainError)[]> {
  const { statements, draft } = drafting(services, inputs);
  return await draft(await services.db.sql.batch(statements));
}

/**
 * {@link draftOrders} in two steps: the statements that read the records, for a batch, and what makes drafts of their
 * results.
 */
export function drafting(services: TenantServices, inputs: readonly NamedInput[]) {
  const draft = (rows: MintRows) => draftsOf(services, inputs, rows);
  return { statements: selectMintRecords(services.db, inputs), draft };
}

async function draftsOf(
  services: TenantServices,
  inputs: readonly NamedInput[],
  rows: MintRows,
): Promise<(OrderDraft | DomainError)[]> {
  const found = mintRecords(rows);
  const offChain = inputs.map((input) => chainRefusal(services.chains, input.chainId, unknownMetadata(input, found)));
  const onChain = inputs.filter((_, index) => offChain[index] === undefined);
  const missing = await missingContracts(services.db, placesWithout(found, onChain));
  return inputs.map((input, index) => {
    const refusal = offChain[index];
    if (refusal !== undefined) return refusal;
    const subjects = subjectsOf(input, found, missing);
    return subjects instanceof DomainError ? subjects : draftOrder(services, input, subjects);
  });
}

/** Why a draft cannot be stored now: `conflict`, or `upstream` if the chain must be read and does not answer. */
export async function conflictOf(
  services: TenantServices,
  { order, subjects }: OrderDraft,
): Promise<DomainError | undefined> {
  try {
    const conflicts = await conflictsOf(services, order, subjects);
    return conflicts.length === 0 ? undefined : new DomainError('token_unavailable', conflicts.join('; '));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

function draftOrder(services: TenantServices, input: NamedInput, subjects: MintSubjects): OrderDraft | DomainError {
  const { contract, metadata } = subjects;
  if (metadata === undefined) return notFound('Metadata');
  const { document } = metadata;
  const issues = [...orderIssues(services, input, subjects), ...mismatches(subjects)];
  if (issues.length > 0) return invalidInput(issues);
  const invalid = metadataIssues(document);
  if (invalid.length > 0) return invalidMetadata(invalid);
  const certificate = contract.contractType === 'certificate';
  // Not after the id, by which lists are filtered by time.
  const createdAt = new Date(timeOf(input.id));
  const order = {
    id: input.id,
    contractId: contract.id,
    registeredAtBlock: contract.registeredAtBlock,
    chainId: input.chainId,
    contractAddress: input.contractAddress,
    ercStandard: contract.ercStandard,
    receiverAddress: input.receiverAddress,
    tokenId: input.tokenId,
    amount: input.amount ?? 1,
    metadataId: input.metadataId,
    tokenUri: certificate ? (input.tokenUri ?? null) : null,
    metadataHash: certificate ? (input.metadataHash ?? null) : null,
    status: 'PENDING' as const,
    createdAt,
    updatedAt: createdAt,
  };
  return { order, subjects };
}

/** The issues of an order's fields, given its contract. */
function orderIssues(
  services: TenantServices,
  { contractAddress, tokenId, amount, tokenUri, metadataHash }: OrderInput,
  { contract, metadata }: MintSubjects,
): InputIssue[] {
  const issues: InputIssue[] = [];
  const addIssue = (path: string, code: IssueCode, message: string) => issues.push({ path, code, message });
  if (contract.ercStandard === '721' && amount !== undefined && amount !== 1) {
    addIssue('amount', 'not_allowed', 'must be absent or 1 for an ERC-721 contract');
  }
  if (contract.ercStandard === '1155' && amount === undefined) {
    addIssue('amount', 'required', 'is required for an ERC-1155 contract');
  }
  if (contract.contractType === 'certificate') {
    if (tokenUri === undefined) addIssue('tokenUri', 'required', 'is required for a certificate contract');
    if (metadataHash === undefined) addIssue('metadataHash', 'required', 'is required for a certificate contract');
    const isOwn = tokenUri !== undefined && isOwnUrl(services, tokenUri);
    if (isOwn && !isUrlOfToken(services, tokenUri, { contractAddress, tokenId, ercStandard: contract.ercStandard })) {
      const [base] = publicBases(services);
      addIssue(
        'tokenUri',
        'invalid_value',
        `is a URL of this service, but not of this token: must be ${base}/${contractAddress}/${tokenId}, or a URL you host yourself`,
      );
    }
    const stored = metadata?.document.metadataHash ?? undefined;
    if (metadataHash !== undefined && BigInt(metadataHash) === 0n) {
      addIssue('metadataHash', 'invalid_value', 'must not be zero');
    } else if (isOwn && stored !== undefined && metadataHash !== undefined && metadataHash.toLowerCase() !== stored) {
      addIssue(
        'metadataHash',
        'invalid_value',
        `must equal the stored hash ${stored}: tokenUri is a URL of this service`,
      );
    }
  }
  return issues;
}

/** Why an order is refused for its chain, with what else is wrong; undefined if it is not. */
function chainRefusal(chains: Chains, chainId: string, others: readonly InputIssue[]): DomainError | undefined {
  try {
    requireAllowedChain(chains, chainId, () => others);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
