import type { TokenDocument } from '../../platform/database/schema.ts';
import type { InputFault, MetadataFault } from '../../core/domain-error.ts';
import { listedFaults } from '../../core/listed-faults.ts';
import { certificateStatusFaults, requestNameOf, toDocument, unknownKeys } from './document.ts';
import { isRecord } from './json-value.ts';
import { portabilityFaults, storageFaults } from './portable-json.ts';
import { presentationFaults } from './presentation-faults.ts';
import { BASE_SCHEMA_VERSION, DEFAULT_SCHEMA_VERSION, isSchemaVersion, isUtilityType, versionsOf } from './schemas.ts';
import type { SchemaVersion } from './schemas.ts';
import { shownTypeOf, validateDocument } from './validate-document.ts';

/** What a request's metadata comes to. */
export type Assessment = {
  /** The version that was applied: of an unknown type the one that all types share. */
  readonly schemaVersion: SchemaVersion;
  readonly type: string | null;
} & (
  | { readonly valid: true; readonly chainId: string; readonly document: TokenDocument }
  | { readonly valid: false; readonly faults: readonly MetadataFault[] }
);

/**
 * Makes the document that a request asks for and finds every fault of it.
 * @param input The body of POST /metadata: any JSON value.
 * @param chainIds The chains that are allowed.
 */
export function assessInput(input: unknown, chainIds: readonly string[]): Assessment {
  if (!isRecord(input)) {
    const context = { schemaVersion: BASE_SCHEMA_VERSION, type: null };
    return { ...context, valid: false, faults: [{ path: '$', message: 'must be an object', ...context }] };
  }
  const { schemaVersion, versionFaults } = schemaFor(input);
  const document = toDocument(input, schemaVersion);
  const type = shownTypeOf(document);
  const { chainId } = input;
  const isAllowed = typeof chainId === 'string' && chainIds.includes(chainId);
  const faults = listedFaults(
    inContext(faultsOfInput(input, chainIds, document, { schemaVersion, versionFaults }), { schemaVersion, type }),
    '$',
  );
  if (!isAllowed || faults.length > 0) return { schemaVersion, type, valid: false, faults };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- valid by its schema, which says all that the type does
  return { schemaVersion, type, valid: true, chainId, document: document as unknown as TokenDocument };
}

function* inContext(
  faults: Iterable<InputFault>,
  context: Pick<MetadataFault, 'schemaVersion' | 'type'>,
): Generator<MetadataFault> {
  for (const fault of faults) yield { ...fault, ...context };
}

/** Every fault, one a place: by the schema, then by what every document has to keep to. */
function* faultsOfInput(
  input: Readonly<Record<string, unknown>>,
  chainIds: readonly string[],
  document: Readonly<Record<string, unknown>>,
  { schemaVersion, versionFaults }: ReturnType<typeof schemaFor>,
): Generator<InputFault> {
  const { chainId, metadataHash } = input;
  const known = new Set<string>();
  for (const fault of [...validateDocument(document, schemaVersion), ...presentationFaults(document)]) {
    known.add(fault.path);
    const requestName = requestNameOf(fault.path);
    yield requestName === undefined ? fault : { ...fault, message: `${fault.message}; "${requestName}" in a request` };
  }
  yield* versionFaults;
  for (const fault of documentFaults(input, document)) if (!known.has(fault.path)) yield fault;
  if (typeof chainId !== 'string' || !chainIds.includes(chainId)) {
    yield { path: '$.chainId', message: chainMessage(chainId, chainIds) };
  }
  if (metadataHash !== undefined) {
    yield { path: '$.metadataHash', message: 'must not be given: the server computes it' };
  }
}

function* documentFaults(
  input: Readonly<Record<string, unknown>>,
  document: Readonly<Record<string, unknown>>,
): Generator<InputFault> {
  yield* storageFaults(document);
  if (shownTypeOf(document) === 'Certificate') {
    yield* portabilityFaults(document);
    yield* certificateStatusFaults(document);
  }
  yield* unknownKeys(input);
}

function chainMessage(chainId: unknown, chainIds: readonly string[]): string {
  const expected = `one of ${chainIds.map((id) => `"${id}"`).join(', ')}`;
  return chainId === undefined ? `missing required key "chainId": ${expected}` : `must be ${expected}`;
}

/** The schema is that of the type, in the version that the input names or the newest. */
function schemaFor(input: Readonly<Record<string, unknown>>): {
  schemaVersion: SchemaVersion;
  versionFaults: InputFault[];
} {
  const { schemaVersion: named, utility } = input;
  const type = isRecord(utility) ? utility['type'] : undefined;
  const known = isUtilityType(type);
  const applied = known ? DEFAULT_SCHEMA_VERSION[type] : BASE_SCHEMA_VERSION;
  if (named === undefined) return { schemaVersion: applied, versionFaults: [] };
  const allowed = versionsOf(known ? type : undefined);
  if (isSchemaVersion(named) && allowed.includes(named)) {
    return { schemaVersion: known ? named : applied, versionFaults: [] };
  }
  const message = `must be ${allowed.map((version) => `"${version}"`).join(' or ')}${known ? ` for the type ${type}` : ''}`;
  return { schemaVersion: applied, versionFaults: [{ path: '$.schemaVersion', message }] };
}
