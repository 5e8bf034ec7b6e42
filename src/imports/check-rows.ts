import { DomainError, issuesOf, isTemporary, type InputIssue } from '../core/domain-error.ts';
import type { ImportFault, ImportKind, ImportedUse } from '../platform/database/vocabulary/import.ts';
import { within } from '../core/within.ts';
import { assessInput } from '../catalog/metadata/assess-input.ts';
import { newMetadata, UNLISTED_STATUS } from '../catalog/metadata/create-metadata.ts';
import type { Metadata } from '../catalog/metadata/metadata.store.ts';
import { publicBases } from '../catalog/metadata/own-urls.ts';
import {
  BASE_SCHEMA_VERSION,
  DEFAULT_SCHEMA_VERSION,
  isUtilityType,
  SCHEMA_EXAMPLES,
} from '../catalog/metadata/schemas.ts';
import { findStatusRules } from '../catalog/metadata/status-rules.store.ts';
import { valueAt } from '../catalog/metadata/json-value.ts';
import { chainIdsOfKind } from '../accounts/chains-of-actor.ts';
import type { LowerCaseAddress } from '../core/lower-case.ts';
import { forbiddenBy } from '../limits/account-limits.ts';
import { conflictsAmong } from '../orders/mint/conflicts-among.ts';
import { drafting, orderInput, type NamedInput, type OrderDraft } from '../orders/mint/draft-orders.ts';
import type { StoredLimits } from '../platform/database/schema.ts';
import type { TenantServices } from '../services.ts';
import { readLimits } from './work.store.ts';
import { rowFault } from './row-fault.ts';
import { MINT_FIELDS } from './columns.ts';
import type { RowIds } from './row-ids.ts';
import type { RowInput } from './row-input.ts';

/** Where the rows of an import go. */
export interface ImportTarget {
  readonly kind: ImportKind;
  readonly chainId: string;
  /** Null if it only has metadata. */
  readonly contractAddress: LowerCaseAddress | null;
}

/** A row of an import, with the ids of what it makes. */
export interface IdentifiedRow extends RowInput {
  readonly ids: RowIds;
}

/** A row that was checked. Without faults it has what its kind makes. */
export interface CheckedRow {
  readonly row: number;
  readonly faults: readonly ImportFault[];
  readonly document: Metadata | undefined;
  readonly order: NamedInput | undefined;
  readonly uses: readonly ImportedUse[];
}

const MAX_FAULTS = 20;
/** How long the rows of a chunk wait for the chain, in milliseconds: a contract's views can be slow. */
const CHAIN_MS = 10_000;

/** A row in the forms of the requests for what it makes. */
interface Form {
  readonly row: IdentifiedRow;
  /** Paths are columns. */
  readonly issues: readonly InputIssue[];
  readonly document: Metadata | undefined;
  /** What the order is checked with: the document or, if it has faults, a valid one of its type. */
  readonly checkedWith: Metadata | undefined;
  readonly order: NamedInput | undefined;
}

/**
 * Checks rows by the rules of POST /metadata and POST /minting/order; nothing is stored.
 * @throws {DomainError} `upstream` if the chain must be read and does not answer; `rate-limited` if the account has
 *   had it read too often.
 */
export async function checkRows(
  services: TenantServices,
  target: ImportTarget,
  rows: readonly IdentifiedRow[],
): Promise<CheckedRow[]> {
  const forms = rows.map((row) => formOf(services, target, row));
  const { kind, chainId } = target;
  const [drafts, rules, limits] = await Promise.all([
    draftRows(services, target, forms),
    kind === 'mints'
      ? undefined
      : findStatusRules(services.db, chainIdsOfKind('test').includes(chainId) ? 'test' : 'live'),
    kind === 'metadata' ? undefined : readLimits(services.db),
  ]);
  return forms.map(({ row, issues, document, order }) => {
    const { draft, refusal } = (order === undefined ? undefined : drafts.get(order.id)) ?? NO_DRAFT;
    const found = [
      ...issues,
      ...unlistedStatus(row, document, rules?.rules),
      ...orderIssues(kind, row, refusal),
      ...(limits === undefined || order === undefined ? [] : limitIssues(services, order, limits)),
    ];
    const faults = found.slice(0, MAX_FAULTS).map((issue) => rowFault(row.row, issue));
    const isFaulty = faults.length > 0;
    return {
      row: row.row,
      faults,
      document: isFaulty ? undefined : document,
      order: isFaulty ? undefined : order,
      uses: draft === undefined ? [] : usesOf(row.row, draft, kind, isFaulty),
    };
  });
}

/** The order of a row, and why it could not be stored. */
interface RowDraft {
  readonly draft: OrderDraft | undefined;
  readonly refusal: DomainError | undefined;
}

const NO_DRAFT: RowDraft = { draft: undefined, refusal: undefined };

function formOf(services: TenantServices, target: ImportTarget, row: IdentifiedRow): Form {
  const { input, ids } = row;
  const none = { row, document: undefined, checkedWith: undefined, order: undefined };
  if (input === undefined) return { ...none, issues: row.issues };
  const issues = [...row.issues, ...ofImport(input)];
  const mintNames = new Set<string>(MINT_FIELDS[target.kind].map(({ name }) => name));
  const { kind, chainId } = target;
  if (kind === 'mints') {
    const { order, issues: wrong } = orderOf(services, target, ids, input);
    return { ...none, issues: [...issues, ...wrong], order };
  }
  const entries = Object.entries(input);
  const content = Object.fromEntries(entries.filter(([name]) => !mintNames.has(name)));
  const assessment = assessInput({ ...content, chainId }, [chainId]);
  const now = new Date(services.clock.now());
  const document = assessment.valid ? newMetadata(services.db, assessment, ids.metadataId, now) : undefined;
  if (!assessment.valid) {
    issues.push(
      ...assessment.issues.slice(0, MAX_FAULTS).map((issue) => ({ ...issue, path: row.columnOf(issue.path) ?? '' })),
    );
  }
  if (kind === 'metadata') return { ...none, issues, document };
  const checkedWith = document ?? exampleOf(services, target, row);
  const mint = Object.fromEntries(entries.filter(([name]) => mintNames.has(name)));
  const { order, issues: wrong } = orderOf(services, target, ids, { ...mint, metadataId: ids.metadataId }, checkedWith);
  return { row, issues: [...issues, ...wrong], document, checkedWith, order };
}

/** A row of JSON lines may have the fields that the import has. */
function ofImport(input: Readonly<Record<string, unknown>>): InputIssue[] {
  return ['chainId', 'contractAddress']
    .filter((name) => Object.hasOwn(input, name))
    .map((path) => ({ path, message: 'must be absent: the import sets it', code: 'not_allowed' }));
}

/** The order of a row, or the issues of its form. @param document That the same row makes. */
function orderOf(
  services: TenantServices,
  { chainId, contractAddress }: ImportTarget,
  { orderId }: RowIds,
  fields: Readonly<Record<string, unknown>>,
  document?: Metadata,
): { readonly order: NamedInput | undefined; readonly issues: readonly InputIssue[] } {
  const { data, error } = orderInput.safeParse({ ...fields, chainId, contractAddress });
  if (data === undefined) return { order: undefined, issues: issuesOf(error) };
  const metadataHash = document?.metadataHash ?? undefined;
  const [base] = publicBases(services);
  const served = metadataHash && { metadataHash, tokenUri: `${base}/${contractAddress}/${data.tokenId}` };
  return { order: { ...data, ...served, id: orderId }, issues: [] };
}

/**
 * The drafts of the rows' orders, by their ids. The documents that rows make are taken as if they were stored. The
 * chain is asked about every row, whatever it refuses: each fault is to be found.
 * @throws {DomainError} `upstream`, `rate-limited`
 */
async function draftRows(
  services: TenantServices,
  { kind }: ImportTarget,
  forms: readonly Form[],
): Promise<ReadonlyMap<string, RowDraft>> {
  const orders = forms.flatMap(({ order }) => order ?? []);
  if (orders.length === 0) return new Map();
  const { statement, draft: draftAll } = drafting(services, orders);
  const rows = await statement;
  const made = forms.flatMap(({ checkedWith }) =>
    checkedWith === undefined ? [] : [{ document: checkedWith, occupantId: null, hasUnits: false, units: null }],
  );
  const drafts = await draftAll(kind === 'mints' ? rows : rows.map((found) => ({ ...found, documents: made })));
  const answer = await within(CHAIN_MS, conflictsAmong(services, drafts, Infinity));
  if (answer === undefined) throw new DomainError('chain_unavailable', 'The chain takes too long to answer');
  const refusals = answer.result;
  const temporary = refusals.find(isTemporary);
  if (temporary !== undefined) throw temporary;
  return new Map(
    orders.map(({ id }, index) => {
      const draft = drafts[index];
      return [id, { draft: draft instanceof DomainError ? undefined : draft, refusal: refusals[index] }];
    }),
  );
}

/** A valid document of the type of a row, so that the faults of the row's mint are found too. */
function exampleOf(services: TenantServices, { chainId }: ImportTarget, row: IdentifiedRow): Metadata {
  const type = valueAt(row.input, 'utility', 'type');
  const schemaVersion = isUtilityType(type) ? DEFAULT_SCHEMA_VERSION[type] : BASE_SCHEMA_VERSION;
  const example = SCHEMA_EXAMPLES[schemaVersion];
  const assessment = { valid: true, chainId, schemaVersion, type: example.utility.type, document: example } as const;
  return newMetadata(services.db, assessment, row.ids.metadataId, new Date(services.clock.now()));
}

/** @param refusal Why an order could not be stored. */
function orderIssues(
  kind: ImportKind,
  { columnOf }: RowInput,
  refusal: DomainError | undefined,
): readonly InputIssue[] {
  if (refusal === undefined) return [];
  if (refusal.issues !== undefined) {
    const issues = kind === 'tokens' ? refusal.issues.flatMap(ofOwnDocument) : refusal.issues;
    return issues.map((issue) => ({ ...issue, path: columnOf(issue.path) ?? '' }));
  }
  const isMissing = refusal.code === 'not_found';
  return [
    {
      path: isMissing ? 'metadataId' : 'tokenId',
      message: refusal.message,
      code: isMissing ? 'not_found' : 'not_allowed',
    },
  ];
}

/** An issue of an order whose document the same row makes: only its type can be wrong for the contract. */
function ofOwnDocument(issue: InputIssue): InputIssue[] {
  if (issue.path === 'tokenUri' || issue.path === 'metadataHash') return [];
  return [issue.path === 'metadataId' ? { ...issue, path: 'utility.type' } : issue];
}

/** The rules for the statuses of documents by their types. */
type Listed = NonNullable<Awaited<ReturnType<typeof findStatusRules>>>['rules'];

function unlistedStatus(
  { columnOf }: RowInput,
  document: Metadata | undefined,
  listed: Listed | undefined,
): InputIssue[] {
  const status = document?.currentStatus ?? null;
  const rules = document === undefined ? undefined : listed?.[document.standardFields.utility.type];
  if (status === null || rules === undefined || Object.hasOwn(rules, status)) return [];
  return [{ ...UNLISTED_STATUS, path: columnOf(UNLISTED_STATUS.path) ?? '' }];
}

/** What the limits of the account never allow; what they do not allow for now is waited for. */
function limitIssues(
  { account }: TenantServices,
  { chainId, contractAddress, receiverAddress }: NamedInput,
  limits: StoredLimits,
): InputIssue[] {
  const standing = { limits, mainWallet: account.walletAddress, spentToday: 0n };
  const excess = forbiddenBy(standing, chainId, { contract: contractAddress, receivers: [receiverAddress] });
  if (excess === undefined) return [];
  return [
    { path: excess.reached.limit === 'receivers' ? 'receiverAddress' : '', message: excess.detail, code: 'limit' },
  ];
}

/**
 * What an order uses for itself: of an ERC-721 contract its token and its document, of an ERC-1155 contract the document
 * for one token, and a certificate's token for one URI and hash. A row that makes a document has its token for itself.
 */
function usesOf(row: number, { order, subjects }: OrderDraft, kind: ImportKind, isFaulty: boolean): ImportedUse[] {
  const { tokenId, metadataId, tokenUri, metadataHash } = order;
  const isSingle = subjects.contract.ercStandard === '721' || kind === 'tokens';
  const own = String(row);
  const use = (column: 'tokenId' | 'metadataId', resource: string, holder: string) => ({
    row,
    column,
    resource,
    holder: isSingle ? own : holder,
    isFaulty,
  });
  const token = use('tokenId', `token ${tokenId}`, `${tokenUri} ${metadataHash?.toLowerCase()}`);
  return kind === 'tokens' ? [token] : [token, use('metadataId', metadataId, tokenId)];
}
