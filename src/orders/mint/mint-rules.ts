import { isAddressEqual } from 'viem';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { readContract, valueOf } from '../../chains/contract-reads.ts';
import { holderView } from '../../catalog/contracts/views.ts';
import type { ErcStandard } from '../../platform/database/schema.ts';
import { DomainError, notFound, type InputIssue } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import type { ContractPlace } from '../../catalog/contracts/missing-contract.ts';
import type { Metadata } from '../../catalog/metadata/metadata.store.ts';
import { isOwnUrl } from '../../catalog/metadata/own-urls.ts';
import { isSchemaVersion } from '../../catalog/metadata/schemas.ts';
import { validateDocument } from '../../catalog/metadata/validate-document.ts';
import type { MintPlace, MintRecords, MintTarget } from './minting-orders.store.ts';
import { tokenExists } from './token-exists.ts';

/*
 * The rules for ordering a mint. Orders and the occupancy check share them, so that the check predicts whether an order
 * would be accepted.
 */

/** The conflict of an order whose ERC-721 metadata another order uses. */
const OCCUPIED = 'Another order uses this ERC-721 metadata';

/** The conflict of an order that another one has forestalled since the rules were checked. */
export function forestalled({ ercStandard }: { readonly ercStandard: ErcStandard }): DomainError {
  return new DomainError('token_unavailable', ercStandard === '721' ? OCCUPIED : 'Another order uses this metadata');
}

/** The account's records that a mint refers to. */
export interface MintSubjects {
  readonly contract: MintRecords['contracts'][number] & { readonly ercStandard: ErcStandard };
  /** Undefined without a metadata id. */
  readonly metadata: MintRecords['documents'][number] | undefined;
  readonly token: MintRecords['tokens'][number] | undefined;
}

/**
 * Picks the records of one mint. @returns `not-found` if the contract or the metadata is not the account's.
 * @param missing The error for a contract that is not.
 */
export function subjectsOf(
  target: MintPlace,
  { contracts, documents, tokens }: MintRecords,
  missing: (place: ContractPlace) => DomainError,
): MintSubjects | DomainError {
  const contract = contracts.find(
    ({ chainId, contractAddress }) => chainId === target.chainId && contractAddress === target.contractAddress,
  );
  if (!isTokenContract(contract)) return missing(target);
  const metadata = documents.find(({ document }) => document.id === target.metadataId);
  if (target.metadataId !== undefined && metadata === undefined) return notFound('Metadata');
  const token = tokens.find(({ contractId, tokenId }) => contractId === contract.id && tokenId === target.tokenId);
  return { contract, metadata, token };
}

/** The issue, beside others, of metadata that the account does not have. */
export function unknownMetadata({ metadataId }: MintPlace, { documents }: MintRecords): InputIssue[] {
  if (metadataId === undefined || documents.some(({ document }) => document.id === metadataId)) return [];
  return [{ path: 'metadataId', message: 'is not metadata of the account', code: 'not_found' }];
}

/** The issues of a contract and metadata that do not match. */
export function mismatches({ contract, metadata }: MintSubjects): InputIssue[] {
  if (metadata === undefined) return [];
  const { chainId, standardFields, metadataHash } = metadata.document;
  const issues: InputIssue[] = [];
  const addIssue = (message: string) => issues.push({ path: 'metadataId', message });
  if (chainId !== contract.chainId) addIssue(`is metadata for chain ${chainId}, not ${contract.chainId}`);
  if (contract.contractType === 'certificate' && metadataHash === null) {
    addIssue(`must be metadata of type Certificate, not ${standardFields.utility.type}`);
  }
  if (contract.contractType !== 'certificate' && metadataHash !== null) {
    addIssue('must not be metadata of type Certificate: the tokens of a standard contract can be transferred');
  }
  return issues;
}

/**
 * Validates stored metadata against its schema. The specification requires this second validation, because rules may
 * have changed since the metadata was stored.
 */
export function metadataIssues({
  schemaVersion,
  standardFields,
}: Pick<Metadata, 'schemaVersion' | 'standardFields'>): InputIssue[] {
  return isSchemaVersion(schemaVersion)
    ? validateDocument(standardFields, schemaVersion)
    : [{ path: '$.schemaVersion', message: `${schemaVersion} is no longer supported` }];
}

/**
 * Why a mint cannot be ordered now: its token or its metadata is in use. Concurrent orders may all find both free; then
 * a database constraint decides about ERC-721 metadata, and the chain about the token.
 * @throws {DomainError} `upstream` if the chain must be read and does not answer.
 */
export async function conflictsOf(
  services: TenantServices,
  target: MintTarget,
  subjects: MintSubjects,
): Promise<string[]> {
  const known = knownConflicts(services, target, subjects);
  if (!mayExist(services, subjects)) return known;
  const { client } = requireAllowedChain(services.chains, target.chainId);
  const holder = valueOf(await readContract(client, holderView(target.contractAddress, BigInt(target.tokenId))));
  return holder === undefined ? known : [...known, tokenExists(target.tokenId, holder)];
}

/** The part of {@link conflictsOf} that the account's records show. */
export function knownConflicts(services: TenantServices, target: MintTarget, subjects: MintSubjects): string[] {
  const conflicts = [...metadataConflicts(target, subjects), ...documentConflicts(services, target, subjects)];
  const orderId = subjects.token?.orderId ?? null;
  return orderId === null ? conflicts : [...conflicts, `Order ${orderId} for token ${target.tokenId} is under way`];
}

function metadataConflicts(target: MintPlace, { contract, metadata }: MintSubjects): string[] {
  if (metadata === undefined) return [];
  const { contractAddress, tokenId } = metadata.document;
  if (metadata.occupantId !== null) return [OCCUPIED];
  if (contractAddress !== null && (contractAddress !== target.contractAddress || tokenId !== target.tokenId)) {
    return [`The metadata is already linked to token ${tokenId} of ${contractAddress}`];
  }
  const { units, hasUnits } = metadata;
  if (contract.ercStandard === '721' && hasUnits) return ['ERC-1155 orders use this metadata'];
  if (units === null || (units.contractAddress === target.contractAddress && units.tokenId === target.tokenId))
    return [];
  return [`An unfinished ERC-1155 order uses this metadata for token ${units.tokenId} of ${units.contractAddress}`];
}

/**
 * Where the certificate has another document already: its contract refuses any other for good, even once all its units
 * are burned. Metadata alone names a document only where this service is to serve it.
 */
function documentConflicts(services: TenantServices, target: MintTarget, { metadata, token }: MintSubjects): string[] {
  const document = token?.document ?? undefined;
  if (document === undefined) return [];
  const tokenUri = target.tokenUri ?? document.tokenUri;
  const stored = isOwnUrl(services, document.tokenUri) ? metadata?.document.metadataHash : undefined;
  const metadataHash = (target.metadataHash ?? stored ?? document.metadataHash).toLowerCase();
  if (tokenUri === document.tokenUri && metadataHash === document.metadataHash.toLowerCase()) return [];
  return [
    `Certificate ${target.tokenId} keeps the document of its first mint: ${document.tokenUri} with the hash ${document.metadataHash}`,
  ];
}

/**
 * Whether the chain must be read to know if an ERC-721 token exists: a holder may have burned a token minted here, an
 * owner other than the account's wallet may have minted it directly, and a contract from elsewhere may have had tokens
 * before it was registered. All other tokens are minted by orders, so a new one costs no call.
 */
export function mayExist({ account }: TenantServices, { contract, token }: MintSubjects): boolean {
  const { ercStandard, currentOwnerAddress, registeredAtBlock } = contract;
  const owner = currentOwnerAddress ?? account.walletAddress;
  if (ercStandard === '1155') return false;
  return token?.wasMinted === true || registeredAtBlock !== null || !isAddressEqual(owner, account.walletAddress);
}

/** The contracts of mints that are no ACTIVE token contracts of the account. */
export function placesWithout({ contracts }: MintRecords, targets: readonly ContractPlace[]): ContractPlace[] {
  return targets.filter(
    ({ chainId, contractAddress }) =>
      !contracts.some(
        (one) => isTokenContract(one) && one.chainId === chainId && one.contractAddress === contractAddress,
      ),
  );
}

function isTokenContract(contract: MintRecords['contracts'][number] | undefined): contract is MintSubjects['contract'] {
  return contract !== undefined && contract.ercStandard !== 'Forwarder';
}
