import { notFound } from '../../core/domain-error.ts';
import type { TenantServices } from '../../services.ts';
import { findMetadata } from './metadata.store.ts';
import type { Metadata } from './metadata.store.ts';

/** Reads a metadata document of the account. @throws {DomainError} `not-found` when it has none with this id. */
export async function getMetadata({ db }: TenantServices, id: string): Promise<Metadata> {
  const metadata = await findMetadata(db, id);
  if (metadata === undefined) throw notFound('Metadata');
  return metadata;
}
