import { isAddressEqual } from 'viem';
import { requireAllowedChain } from '../../chains/allowed-chain.ts';
import { readContract, valueOf } from '../../chains/contract-reads.ts';
import { holderView } from '../../chains/views.ts';
import type { ErcStandard } from '../../platform/database/schema.ts';
import { notFound } from '../../core/domain-error.ts';
import type { DomainError, InputIssue } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import type { Contract } from '../../catalog/contracts/contracts.store.ts';
import type { Metadata } from '../../catalog/metadata/metadata.store.ts';
import { isOwnUrl } from '../../catalog/metadata/is-own-url.ts';
import { isSchemaVersion } from '../../catalog/metadata/schemas.ts';
import { validateDocument } from '../../catalog/metadata/validate-document.ts';
import type { MintRecords, MintTarget } from './minting-orders.store.ts';
import { tokenExists } from './token-exists.ts';

/*
 * When an account may order a mint. Orders and the occupancy check follow the same rules, so that the check says of each
 * order whether it would be accepted.
 */

/** Why an order is refused whose ERC-721 metadata another order has. */
export const OCCUPIED = 'Another order has this ERC-721 metadata';

/** What the account's records say of one mint. */
export interface MintSubjects {
  readonly contract: Contract & { readonly ercStandard: ErcStandard };
  /** Undefined where no metadata is named. */
  readonly metadata: MintRecords['documents'][number] | undefined;
  /** Of an ERC-721 token or a certificate. */
  readonly token: MintRecords['tokens'][number] | undefined;
}

/** Picks what one mint is about. @returns `not-found` where the contract or the metadata is not the account's. */
export function subjectsOf(
  target: MintTarget,
  { contracts, documents, tokens }: MintRecords,
): MintSubjects | DomainError {
  const contract = contracts.find(
    ({ chainId, contractAddress }) => chainId === target.chainId && contractAddress === target.contractAddress,
  );
  if (!isTokenContract(contract)) return notFound('Active contract');
  const metadata = documents.find(({ document }) => document.id === target.metadataId);
  if (target.metadataId !== undefined && metadata === undefined) return notFound('Metadata');
  const token = tokens.find(({ contractId, tokenId }) => contractId === contract.id && tokenId === target.tokenId);
  return { contract, metadata, token };
}

/** Where a contract and the metadata named for it do not go together. */
export function mismatches({ contract, metadata }: MintSubjects): InputIssue[] {
  if (metadata === undefined) return [];
  const { chainId, utility, metadataHash } = metadata.document;
  const faults: InputIssue[] = [];
  const fault = (message: string) => faults.push({ path: 'metadataId', message });
  if (chainId !== contract.chainId) fault(`is metadata for chain ${chainId}, not ${contract.chainId}`);
  if (contract.contractType === 'certificate' && metadataHash === null) {
    fault(`must be metadata of type Certificate, not ${utility.type}`);
  }
  if (contract.contractType !== 'certificate' && metadataHash !== null) {
    fault('must not be metadata of type Certificate: the tokens of a standard contract can be transferred');
  }
  return faults;
}

/**
 * What is wrong with stored metadata by its schema. The specification asks for this second validation: what was valid when
 * it was stored need not stay so.
 */
export function metadataFaults({ schemaVersion, standardFields }: Metadata): InputIssue[] {
  return isSchemaVersion(schemaVersion)
    ? validateDocument(standardFields, schemaVersion)
    : [{ path: '$.schemaVersion', message: `${schemaVersion} is no longer known` }];
}

/**
 * Why a mint cannot be ordered at the moment: who has its token or its metadata. Of orders that arrive at the same time each
 * may find both free; then the database's constraint decides about ERC-721 metadata, and the chain about the token.
 * @throws {DomainError} `upstream` when the chain must be asked and does not answer.
 */
export async function conflictsOf(
  services: TenantServices,
  target: MintTarget,
  subjects: MintSubjects,
): Promise<string[]> {
  const conflicts = [...metadataConflicts(target, subjects), ...documentConflicts(services, target, subjects)];
  if (subjects.contract.ercStandard === '1155') return conflicts;
  const { token } = subjects;
  if (token !== undefined && token.orderId !== null)
    conflicts.push(`Order ${token.orderId} for token ${target.tokenId} is under way`);
  if (mayExist(services, subjects)) {
    const { client } = requireAllowedChain(services.chains, target.chainId);
    const holder = valueOf(await readContract(client, holderView(target.contractAddress, BigInt(target.tokenId))));
    if (holder !== undefined) conflicts.push(tokenExists(target.tokenId, holder));
  }
  return conflicts;
}

function metadataConflicts(target: MintTarget, { contract, metadata }: MintSubjects): string[] {
  if (metadata === undefined) return [];
  const { contractAddress, tokenId } = metadata.document;
  if (metadata.occupantId !== null) return [OCCUPIED];
  if (contractAddress !== null && (contractAddress !== target.contractAddress || tokenId !== target.tokenId)) {
    return [`The metadata is already linked to token ${tokenId} of ${contractAddress}`];
  }
  if (contract.ercStandard === '721' && metadata.unitsOrderId !== null) {
    return ['An ERC-1155 order that is under way has this metadata'];
  }
  return [];
}

/**
 * Where the certificate has another document already: its contract refuses any other for good, even once all its units are
 * burned. Metadata alone names a document only where this service is to serve it.
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
 * Whether the chain must say if a token exists: a holder may have burned one that was minted here, and an owner other than
 * the account's wallet may have minted one elsewhere. All other tokens are minted by orders, so that a new one costs no call.
 */
function mayExist({ account }: TenantServices, { contract, token }: MintSubjects): boolean {
  const owner = contract.currentOwnerAddress ?? account.walletAddress;
  return token?.wasMinted === true || !isAddressEqual(owner, account.walletAddress);
}

function isTokenContract(contract: Contract | undefined): contract is MintSubjects['contract'] {
  return contract !== undefined && contract.ercStandard !== 'Forwarder';
}
