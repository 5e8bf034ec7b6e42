import type { TokenDocument } from '../../platform/database/schema.ts';
import { type InputIssue, type MetadataIssue, listedIssues } from '../../core/domain-error.ts';
import { certificateStatusIssues, requestNameOf, toDocument, unknownKeys } from './document.ts';
import { displayIssues } from './document-texts.ts';
import { isRecord, valueAt } from './json-value.ts';
import { portabilityIssues, storageIssues } from './portable-json.ts';
import {
  BASE_SCHEMA_VERSION,
  DEFAULT_SCHEMA_VERSION,
  isSchemaVersion,
  isUtilityType,
  versionsOf,
  type SchemaVersion,
} from './schemas.ts';
import { shownTypeOf, validateDocument } from './validate-document.ts';

/** The document that a request describes, or what is wrong with the request. */
export type Assessment = {
  /** The version applied; the base version if the type is unknown. */
  readonly schemaVersion: SchemaVersion;
  readonly type: string | null;
} & (
  | { readonly valid: true; readonly chainId: string; readonly document: TokenDocument }
  | { readonly valid: false; readonly issues: readonly MetadataIssue[] }
);

/**
 * Builds the document that a request describes and finds everything wrong with it.
 * @param input The body of POST /metadata: any JSON value.
 * @param chainIds The allowed chains.
 */
export function assessInput(input: unknown, chainIds: readonly string[]): Assessment {
  if (!isRecord(input)) {
    const context = { schemaVersion: BASE_SCHEMA_VERSION, type: null };
    return {
      ...context,
      valid: false,
      issues: [{ path: '$', message: 'must be an object', code: 'wrong_type', ...context }],
    };
  }
  const { schemaVersion, versionIssues } = schemaFor(input);
  const document = toDocument(input, schemaVersion);
  const type = shownTypeOf(document);
  const { chainId } = input;
  const isAllowed = typeof chainId === 'string' && chainIds.includes(chainId);
  const issues = listedIssues(
    inContext(issuesOfInput(input, chainIds, document, { schemaVersion, versionIssues }), { schemaVersion, type }),
    '$',
  );
  if (!isAllowed || issues.length > 0) return { schemaVersion, type, valid: false, issues };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- validated by the schema, which is as strict as the type
  return { schemaVersion, type, valid: true, chainId, document: document as unknown as TokenDocument };
}

function* inContext(
  issues: Iterable<InputIssue>,
  context: Pick<MetadataIssue, 'schemaVersion' | 'type'>,
): Generator<MetadataIssue> {
  for (const issue of issues) yield { ...issue, ...context };
}

/** All issues: those of the schema, then those of the rules for every document, on paths that the schema accepts. */
function* issuesOfInput(
  input: Readonly<Record<string, unknown>>,
  chainIds: readonly string[],
  document: Readonly<Record<string, unknown>>,
  { schemaVersion, versionIssues }: ReturnType<typeof schemaFor>,
): Generator<InputIssue> {
  const { chainId, metadataHash } = input;
  const known = new Set<string>();
  for (const issue of [...validateDocument(document, schemaVersion), ...displayIssues(document)]) {
    const requestName = requestNameOf(issue.path);
    const isMisnamed = requestName !== undefined && valueAt(input, ...(issue.path.match(/\w+/g) ?? [])) !== undefined;
    // It is there, but called by its name in the document: the issue of the unknown key says what to call it.
    if (issue.code === 'required' && isMisnamed) continue;
    known.add(issue.path);
    yield requestName === undefined ? issue : { ...issue, message: `${issue.message}; "${requestName}" in a request` };
  }
  yield* versionIssues;
  for (const issue of documentIssues(input, document)) if (!known.has(issue.path)) yield issue;
  if (typeof chainId !== 'string' || !chainIds.includes(chainId)) {
    yield {
      path: '$.chainId',
      message: chainMessage(chainId, chainIds),
      code: chainId === undefined ? 'required' : 'not_allowed',
    };
  }
  if (metadataHash !== undefined) {
    yield { path: '$.metadataHash', message: 'must not be given: the server computes it', code: 'not_allowed' };
  }
}

function* documentIssues(
  input: Readonly<Record<string, unknown>>,
  document: Readonly<Record<string, unknown>>,
): Generator<InputIssue> {
  yield* storageIssues(document);
  if (shownTypeOf(document) === 'Certificate') {
    yield* portabilityIssues(document);
    yield* certificateStatusIssues(document);
  }
  yield* unknownKeys(input);
}

function chainMessage(chainId: unknown, chainIds: readonly string[]): string {
  const expected = `one of ${chainIds.map((id) => `"${id}"`).join(', ')}`;
  return chainId === undefined ? `missing required key "chainId": ${expected}` : `must be ${expected}`;
}

/** Chooses the schema for the utility type, in the version that the input names or the newest. */
function schemaFor(input: Readonly<Record<string, unknown>>): {
  schemaVersion: SchemaVersion;
  versionIssues: InputIssue[];
} {
  const { schemaVersion: named, utility } = input;
  const type = isRecord(utility) ? utility['type'] : undefined;
  const known = isUtilityType(type);
  const applied = known ? DEFAULT_SCHEMA_VERSION[type] : BASE_SCHEMA_VERSION;
  if (named === undefined) return { schemaVersion: applied, versionIssues: [] };
  const allowed = versionsOf(known ? type : undefined);
  if (isSchemaVersion(named) && allowed.includes(named)) {
    return { schemaVersion: known ? named : applied, versionIssues: [] };
  }
  const message = `must be ${allowed.map((version) => `"${version}"`).join(' or ')}${known ? ` for the type ${type}` : ''}`;
  return { schemaVersion: applied, versionIssues: [{ path: '$.schemaVersion', message, code: 'not_allowed' }] };
}
