import { waitUntil } from 'cloudflare:workers';
import { z } from 'zod';
import { DomainError, invalidMetadata, notFound, type InputIssue } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { assessInput, type Assessment } from './assess-input.ts';
import { CONTENT_PROPERTIES } from './create-metadata.ts';
import { contentOf, statusOf } from './document.ts';
import { METADATA_BYTES, mapTexts } from './document-texts.ts';
import { getMetadata } from './read-metadata.ts';
import { publicUrl } from './document-cache.ts';
import { dropDocuments } from './public-document.ts';
import { purgeZone } from './purge-zone.ts';
import { isRecord, mergePatch, valueAt } from './json-value.ts';
import {
  changeStatus,
  editDocument,
  freezeDocument,
  KEPT_BYTES,
  type Metadata,
  type TriedChange,
} from './metadata.store.ts';
import { statusField } from './status-rules.ts';

/**
 * The body of PATCH /metadata/{id}. As in POST /metadata, the document that results is validated, and this schema only
 * documents the API.
 */
export const metadataPatch = z.unknown().meta({
  id: 'EditMetadata',
  type: 'object',
  properties: {
    ...CONTENT_PROPERTIES,
    // Null removes a key (RFC 7396).
    ...mapTexts(({ isRequired = false, schema }) => ({
      maxLength: METADATA_BYTES,
      ...schema,
      type: isRequired ? 'string' : ['string', 'null'],
    })),
    attributes: { ...CONTENT_PROPERTIES.attributes, type: ['array', 'null'] },
    utility: {
      type: 'object',
      description: 'The changes to utility, except its type',
      example: { data: { seat: { zone: 'B' } } },
    },
  },
});

/**
 * Changes a document, and updates the public document.
 * @param version The version that the change is for; undefined: the request does not say.
 * @param patch A JSON Merge Patch of the body of POST /metadata.
 * @throws {DomainError} as {@link getMetadata}; `version-required`; `outdated` for another version than the current
 *   one; `conflict` for a certificate, a frozen document, and a status that the account's rules do not allow; `invalid`
 *   with every issue, `too-large`; `rate-limited` when the earlier versions of a day have too many bytes.
 */
export async function editMetadata(
  services: TenantServices,
  id: string,
  { version, patch }: { readonly version: number | undefined; readonly patch: unknown },
): Promise<Metadata> {
  const { db, clock, newId } = services;
  const current = await getMetadata(services, id);
  requireEditable(current, version);
  const { document: standardFields, schemaVersion } = assessPatched(services, current, patch);
  const change = { id: newId(), metadataId: id, now: new Date(clock.now()) };
  const tried = await editDocument(db, change, { version: current.version, schemaVersion, standardFields });
  if (tried === undefined) throw notFound('Metadata');
  if (!tried.isMade) {
    requireEditable(tried.document, version);
    if (tried.nextEditAt !== null) throw tooManyEdits(tried.nextEditAt, change.now);
    throw statusRefusal(tried.document, statusOf(standardFields));
  }
  await publishChange(services, tried.document);
  return tried.document;
}

function requireEditable(current: Metadata, version: number | undefined): void {
  const { metadataHash, frozenAt, currentStatus } = current;
  if (metadataHash !== null) throw refusedCertificate(current);
  if (frozenAt !== null) throw refusedChange(current, `The metadata has been frozen since ${frozenAt.toISOString()}`);
  if (version === undefined) {
    throw new DomainError(
      'version_required',
      'If-Match must name the version you edit, as in the ETag of GET /metadata/{id}',
    );
  }
  if (version !== current.version) {
    const message = `The metadata has version ${current.version}, not ${version}`;
    throw new DomainError('version_outdated', message, undefined, {
      state: { currentStatus, version: current.version },
    });
  }
}

function tooManyEdits(next: Date, now: Date): DomainError {
  const message = `The edits of a document keep at most ${KEPT_BYTES / 1_048_576} MB of earlier versions within 24 hours`;
  const retryAfterSeconds = Math.max(1, Math.ceil((next.getTime() - now.getTime()) / 1_000));
  return new DomainError('rate_limited', message, undefined, { retryAfterSeconds });
}

/** The document that results from a patch. @throws {DomainError} `invalid` with every issue; `too-large`. */
function assessPatched(
  { chains, log }: TenantServices,
  current: Metadata,
  patch: unknown,
): Assessment & { valid: true } {
  const { chainId, schemaVersion: present, standardFields } = current;
  const input = isRecord(patch)
    ? mergePatch({ chainId, ...contentOf(standardFields), schemaVersion: present }, patch)
    : patch;
  if (new TextEncoder().encode(JSON.stringify(input)).length > METADATA_BYTES) {
    throw new DomainError('too_large', `The document would exceed the limit of ${METADATA_BYTES / 1_024} KB`);
  }
  const assessment = assessInput(input, [...chains.keys()]);
  const { schemaVersion, type } = assessment;
  const issues = [
    ...fixedIssues(current, input).map((issue) => ({ ...issue, schemaVersion, type })),
    ...(assessment.valid ? [] : assessment.issues),
  ];
  log.info('metadata.validated', { schemaVersion, type, issues: issues.length });
  if (!assessment.valid || issues.length > 0) throw invalidMetadata(issues);
  return assessment;
}

/** What a document keeps: mints check its chain, and rules for statuses are for a type. */
function fixedIssues({ chainId, standardFields: { utility } }: Metadata, input: unknown): InputIssue[] {
  if (!isRecord(input)) return [];
  return [
    { path: '$.chainId', kept: chainId, given: input['chainId'] },
    { path: '$.utility.type', kept: utility.type, given: valueAt(input, 'utility', 'type') },
  ].flatMap(({ path, kept, given }) =>
    given === kept ? [] : [{ path, message: `cannot be changed: it is "${kept}"`, code: 'not_changeable' }],
  );
}

/**
 * Ends the editing of a document for good. Its status still changes by the rules. A document that is frozen stays as it
 * is.
 * @throws {DomainError} as {@link getMetadata}; `conflict` for a certificate, which never changes anyway.
 */
export async function freezeMetadata(services: TenantServices, id: string): Promise<Metadata> {
  const { db, clock } = services;
  const current = await getMetadata(services, id);
  if (current.metadataHash !== null) throw refusedCertificate(current);
  const frozen = await freezeDocument(db, id, new Date(clock.now()));
  if (frozen === undefined) throw notFound('Metadata');
  return frozen;
}

export const statusInput = z
  .strictObject({
    status: statusField.meta({ description: 'The new status', example: 'Used' }),
    expected: statusField.nullable().optional().meta({
      description:
        'The status that the document must currently have, otherwise 409; null: none. Default: any that the rules allow',
      example: 'Unused',
    }),
  })
  .meta({ id: 'SetMetadataStatus' });

type StatusInput = z.output<typeof statusInput>;

/**
 * Sets a document's status in all of its places, and updates the public document. Of concurrent changes that the rules
 * or `expected` allow only once, one is made.
 * @throws {DomainError} as {@link getMetadata}; `conflict` for a certificate, for another status than `expected`, and
 *   for a change that the account's rules do not allow.
 */
export async function setStatus(services: TenantServices, id: string, input: StatusInput): Promise<Metadata> {
  const { db, clock, newId } = services;
  const { status, expected } = input;
  const change = { id: newId(), metadataId: id, now: new Date(clock.now()), status, expected };
  const tried = await changeStatus(db, change);
  if (tried === undefined) {
    await getMetadata(services, id);
    throw notFound('Metadata');
  }
  if (!tried.isMade) throw refusal(tried, input);
  await publishChange(services, tried.document);
  return tried.document;
}

function refusal({ document }: TriedChange, { status, expected }: StatusInput): DomainError {
  const { metadataHash, currentStatus } = document;
  if (metadataHash !== null) return refusedCertificate(document);
  if (expected === undefined || expected === currentStatus) return statusRefusal(document, status);
  return refusedChange(document, `The status is ${shown(currentStatus)}, not ${shown(expected)}`);
}

/** The refusal of a change that the account's rules do not allow. @param status The new one; null: none. */
function statusRefusal(document: Metadata, status: string | null): DomainError {
  const { currentStatus, standardFields } = document;
  const change = `from ${shown(currentStatus)} to ${shown(status)}`;
  return refusedChange(
    document,
    `The rules for ${standardFields.utility.type} metadata do not allow a change of the status ${change}`,
  );
}

function shown(status: string | null): string {
  return status === null ? 'not set' : JSON.stringify(status);
}

/** The refusal of a change that the document's state does not allow. The reply has that state. */
function refusedChange({ currentStatus, version }: Metadata, message: string): DomainError {
  return new DomainError('conflict', message, undefined, { state: { currentStatus, version } });
}

function refusedCertificate(document: Metadata): DomainError {
  return refusedChange(document, 'The metadata of a certificate never changes');
}

/**
 * Updates the caches after a change of a document, if it is linked to a token. The reply waits for this data center's
 * alone.
 */
async function publishChange(
  services: TenantServices,
  { contractAddress, tokenId }: Pick<Metadata, 'contractAddress' | 'tokenId'>,
): Promise<void> {
  if (contractAddress === null || tokenId === null) return;
  const token = { contractAddress, tokenId };
  await dropDocuments(services, [token]);
  waitUntil(purgeZone(services, publicUrl(services.settings, token)));
}
