import type { TokenDocument } from '../../platform/database/schema.ts';
import type { InputIssue, MetadataIssue } from '../../core/domain-error.ts';
import { requestNameOf, toDocument, unknownKeys } from './document.ts';
import { isRecord } from './json-value.ts';
import { portabilityIssues, storageIssues } from './portable-json.ts';
import { displayIssues } from './display-issues.ts';
import { BASE_SCHEMA_VERSION, DEFAULT_SCHEMA_VERSION, isSchemaVersion, isUtilityType, versionsOf } from './schemas.ts';
import type { SchemaVersion } from './schemas.ts';
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
    return { ...context, valid: false, issues: [{ path: '$', message: 'must be an object', ...context }] };
  }
  const { schemaVersion, versionIssues } = schemaFor(input);
  const document = toDocument(input, schemaVersion);
  const type = shownTypeOf(document);
  const isCertificate = type === 'Certificate';

  const byRule = [...validateDocument(document, schemaVersion), ...displayIssues(document)].map((issue) => {
    const requestName = requestNameOf(issue.path);
    return requestName === undefined ? issue : { ...issue, message: `${issue.message}; "${requestName}" in a request` };
  });
  const known = new Set(byRule.map(({ path }) => path));
  const others = [
    ...storageIssues(document),
    ...(isCertificate ? portabilityIssues(document) : []),
    ...unknownKeys(input),
  ];
  const { chainId, metadataHash } = input;
  const own: InputIssue[] = [...versionIssues, ...others.filter(({ path }) => !known.has(path))];
  const isAllowed = typeof chainId === 'string' && chainIds.includes(chainId);
  if (!isAllowed) own.push({ path: '$.chainId', message: chainMessage(chainId, chainIds) });
  if (metadataHash !== undefined) {
    own.push({ path: '$.metadataHash', message: 'must not be given: the server computes it' });
  }
  const issues = [...byRule, ...own].map((issue) => ({ ...issue, schemaVersion, type }));
  if (!isAllowed || issues.length > 0) return { schemaVersion, type, valid: false, issues };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- validated by the schema, which is as strict as the type
  return { schemaVersion, type, valid: true, chainId, document: document as unknown as TokenDocument };
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
  return { schemaVersion: applied, versionIssues: [{ path: '$.schemaVersion', message }] };
}
