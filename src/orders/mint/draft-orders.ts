import { z } from 'zod';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { type Chains } from '../../chains/client.ts';
import {
  DomainError,
  invalidInput,
  invalidMetadata,
  issuesOf,
  notFound,
  type InputIssue,
} from '../../core/domain-error.ts';
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
import { MAX_URL_BYTES } from '../../core/url-issue.ts';
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
import { selectMintRecords, type MintRecords, type NewMintingOrder } from './minting-orders.store.ts';

/** The fields of every request for a mint. */
export const mintFields = {
  chainId: chainIdField,
  contractAddress: contractAddressField,
  receiverAddress: receiverField.meta({ description: 'Who gets the token; not the zero address' }),
  tokenId: tokenIdField,
  amount: amountField.meta({ description: 'Number of tokens. ERC-721: absent or 1. ERC-1155: required', example: 1 }),
  metadataId: recordIdField.meta({ description: '`_id` of the metadata' }),
  // The contract's record says whether these are ignored, so that only then they are validated.
  tokenUri: z.unknown().optional().meta({
    type: 'string',
    format: 'iri',
    maxLength: MAX_URL_BYTES,
    description: 'Where the document is. Required for a certificate; otherwise ignored',
    example: 'https://nft.example.com/metadata/0x8ba1f109551bd432803012645ac136ddd64dba72/1',
  }),
  metadataHash: z
    .unknown()
    .optional()
    .meta({
      type: 'string',
      pattern: '^0x[0-9a-fA-F]{64}$',
      description:
        'Required for a certificate; otherwise ignored. If tokenUri is a URL of this service, the hash that POST /metadata returned; for a document you host yourself, its own hash',
      example: `0x${'5e'.repeat(32)}`,
    }),
};

/** Specification, POST /minting/order. */
export const orderInput = z
  .strictObject({
    ...mintFields,
    mode: z
      .unknown()
      .optional()
      .meta({ type: 'string', enum: ['direct', 'relay'], description: 'Ignored: replies have it' }),
  })
  .meta({ id: 'CreateMintingOrder' });

export type OrderInput = z.output<z.ZodObject<typeof mintFields>>;

/** An order to draft, with the id that it is to have. */
export type NamedInput = OrderInput & { readonly id: string };

/** An order with valid fields. {@link findConflict} decides whether its token and its metadata are free. */
export interface OrderDraft {
  readonly order: NewMintingOrder;
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
  const { statement, draft } = drafting(services, inputs);
  return await draft(await statement);
}

/**
 * {@link draftOrders} in two steps: the statement that reads the records, for a batch, and what makes drafts of its
 * result.
 */
export function drafting(services: TenantServices, inputs: readonly NamedInput[]) {
  const draft = (rows: readonly MintRecords[]) => draftsOf(services, inputs, rows);
  return { statement: selectMintRecords(services.db, inputs), draft };
}

async function draftsOf(
  services: TenantServices,
  inputs: readonly NamedInput[],
  [found = { contracts: [], documents: [], tokens: [] }]: readonly MintRecords[],
): Promise<(OrderDraft | DomainError)[]> {
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
export async function findConflict(
  services: TenantServices,
  { order, subjects }: OrderDraft,
): Promise<DomainError | undefined> {
  try {
    return conflictError(await conflictsOf(services, order, subjects));
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

/** The error of an order with conflicts; undefined if there are none. */
export function conflictError(conflicts: readonly string[]): DomainError | undefined {
  return conflicts.length === 0 ? undefined : new DomainError('token_unavailable', conflicts.join('; '));
}

function draftOrder(services: TenantServices, input: NamedInput, subjects: MintSubjects): OrderDraft | DomainError {
  const { contract, metadata } = subjects;
  if (metadata === undefined) return notFound('Metadata');
  const { document } = metadata;
  const { issues: ofCertificate, ...certificate } = certificateOf(services, input, subjects);
  const issues = [...amountIssues(input, contract), ...ofCertificate, ...mismatches(subjects)];
  if (issues.length > 0) return invalidInput(issues);
  const invalid = metadataIssues(document);
  if (invalid.length > 0) return invalidMetadata(invalid);
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
    ...certificate,
    status: 'PENDING' as const,
    createdAt,
    updatedAt: createdAt,
  };
  return { order, subjects };
}

function amountIssues({ amount }: OrderInput, { ercStandard }: MintSubjects['contract']): InputIssue[] {
  if (ercStandard === '721' && amount !== undefined && amount !== 1) {
    return [{ path: 'amount', code: 'not_allowed', message: 'must be absent or 1 for an ERC-721 contract' }];
  }
  if (ercStandard === '1155' && amount === undefined) {
    return [{ path: 'amount', code: 'required', message: 'is required for an ERC-1155 contract' }];
  }
  return [];
}

/** What a certificate is minted with, as far as a request gives it in the right form; and what is wrong with it. */
export function certificateIn({ tokenUri, metadataHash }: OrderInput) {
  const [uri, hash] = [urlField('media').safeParse(tokenUri), hashField.safeParse(metadataHash)];
  const issues = Object.entries({ tokenUri: uri, metadataHash: hash }).flatMap(([path, { error }]) =>
    error === undefined
      ? []
      : issuesOf(error).map((issue) =>
          issue.code === 'required'
            ? { ...issue, path, message: 'is required for a certificate contract' }
            : { ...issue, path },
        ),
  );
  return { tokenUri: uri.data ?? null, metadataHash: hash.data ?? null, issues };
}

/** The same, given its contract: none for a standard one, which ignores it. */
function certificateOf(
  services: TenantServices,
  input: OrderInput,
  { contract, metadata }: MintSubjects,
): ReturnType<typeof certificateIn> {
  if (contract.contractType !== 'certificate') return { tokenUri: null, metadataHash: null, issues: [] };
  const { tokenUri, metadataHash, issues } = certificateIn(input);
  const { contractAddress, tokenId } = input;
  const addIssue = (path: string, message: string) => issues.push({ path, code: 'invalid_value', message });
  const isOwn = tokenUri !== null && isOwnUrl(services, tokenUri);
  if (isOwn && !isUrlOfToken(services, tokenUri, { contractAddress, tokenId, ercStandard: contract.ercStandard })) {
    const [base] = publicBases(services);
    const message = `is a URL of this service, but not of this token: must be ${base}/${contractAddress}/${tokenId}, or a URL you host yourself`;
    addIssue('tokenUri', message);
  }
  const stored = metadata?.document.metadataHash ?? null;
  if (metadataHash !== null && BigInt(metadataHash) === 0n) {
    addIssue('metadataHash', 'must not be zero');
  } else if (isOwn && stored !== null && metadataHash !== null && metadataHash.toLowerCase() !== stored) {
    addIssue('metadataHash', `must equal the stored hash ${stored}: tokenUri is a URL of this service`);
  }
  return { tokenUri, metadataHash, issues };
}

/** Why an order's chain is refused, with the other issues; undefined if it is not. */
function chainRefusal(chains: Chains, chainId: string, others: readonly InputIssue[]): DomainError | undefined {
  try {
    requireAllowedChain(chains, chainId, () => others);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
