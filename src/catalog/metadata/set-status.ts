import { z } from 'zod';
import { notFound } from '../../core/domain-error.ts';
import type { DomainError } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { getMetadata } from './get-metadata.ts';
import { changeStatus } from './metadata-changes.store.ts';
import type { TriedChange } from './metadata-changes.store.ts';
import type { Metadata } from './metadata.store.ts';
import { publishChange } from './publish-change.ts';
import { refusedCertificate, refusedChange } from './refused-change.ts';
import { statusField } from './status-field.ts';

export const statusInput = z
  .strictObject({
    status: statusField.meta({ description: 'The new status', example: 'Used' }),
    expected: statusField.nullable().optional().meta({
      description: 'The status that the document must have, or 409; null: none. Default: any that the rules allow',
      example: 'Unused',
    }),
  })
  .meta({ id: 'SetMetadataStatus' });

type StatusInput = z.output<typeof statusInput>;

/**
 * Sets a document's status in all of its places, and updates the public document. Of concurrent changes that the rules or `expected`
 * allow only once, one is made.
 * @throws {DomainError} as {@link getMetadata}; `conflict` for a certificate, for another status than `expected`, and for a change that
 *   the account's rules do not allow.
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
export function statusRefusal(document: Metadata, status: string | null): DomainError {
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
