import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { getMetadata } from './get-metadata.ts';
import { freezeDocument } from './metadata-changes.store.ts';
import type { Metadata } from './metadata.store.ts';
import { refusedCertificate } from './refused-change.ts';

/**
 * Ends the editing of a document for good. Its status still changes by the rules. A document that is frozen stays as it is.
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
